// A plugin of the live suite: brings about what a headless DSH does not do by itself, through its public services.
// What it does is chosen by words in the command of a bash call, or in the questions that DSH asks.

export const name = 'provoke'

const failed = (error) => console.error(`provoke: ${error}`)
const after = (ms, work) => setTimeout(() => Promise.resolve().then(work).catch(failed), ms)

export function apply(ctx) {
  ctx.on('tools/pre-execute', async (exec, next) => {
    const command = String(exec.arguments?.command ?? '')
    if (command.includes('DENIED-BY-ANOTHER')) return { kind: 'deny', reason: 'denied by another plugin' }
    if (command.includes('ASKED-BY-ANOTHER')) return { kind: 'ask', reason: 'asked by another plugin' }
    if (command.includes('MOVED')) await ctx.get('workingDirectory')?.set(exec.agent, '..', exec.signal)
    if (command.includes('CANCELLED-SOON')) after(700, () => exec.agent.cancel({ kind: 'user' }))
    return next()
  })
  ctx.on('session/event', (session, event) => {
    if (event.type !== 'tool/call' || !event.data.arguments.includes('CANCELLED-IN-HOOK')) return
    const agent = ctx.get('agents').list().find((one) => one.session === session)
    after(1000, () => agent.cancel({ kind: 'user' }))
  })
  ctx.on('agent/turn-stopping', async ({ agent }) => {
    const said = JSON.stringify(agent.session.deriveMessages?.() ?? '')
    if (agent.session.header.origin === 'subagent' || !said.includes('COMMANDS-AFTERWARDS')) return
    after(50, async () => {
      await agent.whenIdle()
      await ctx.get('commands')?.execute(agent, '/compact', [], new AbortController().signal)
    })
  })
  ctx.on('approval/request', async ({ reason }, next) => {
    if (reason?.includes('NOBODY')) return next()
    return reason?.includes('REJECTED') ? 'rejected' : 'allowed-once'
  })
  ctx.on('user-questions/request', async ({ questions }) => ({
    answers: questions.map(({ id, options }) => ({ id, selected: options?.length ? [options[0].label] : [], custom: 'yes' })),
  }))
}

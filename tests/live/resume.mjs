// Takes up a session where the SDK of the version has no call for it, prompts it once and writes its events to a FIFO.

import { writeFile } from 'node:fs/promises' // which waits for the reader of the FIFO beside everything else

export const name = 'resume'
export const inject = ['agents', 'compatAdapter', 'shell']

export async function apply(ctx, { session, prompt, provider, model, fifo }) {
  const go = async () => {
    const { agent } = await ctx.agents.resume({ resumeSessionId: session, agentOptions: { provider, model } })
    const from = agent.session.snapshotEvents().length
    agent.followup({ id: 'again', role: 'user', content: [{ type: 'text', text: prompt }], source: { kind: 'user' } })
    await agent.whenIdle()
    await writeFile(fifo, JSON.stringify(agent.session.snapshotEvents().slice(from)))
  }
  setTimeout(() => go().catch((error) => writeFile(fifo, JSON.stringify({ error: String(error?.stack) }))), 1500)
}

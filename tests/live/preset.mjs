// A preset as its author writes it: registers hooks and rules with ctx.compatAdapter and keeps what it is told.

import { writeFileSync } from 'node:fs'

export const name = 'preset'
export const inject = ['compatAdapter']

export async function apply(ctx, { registrations, told, status }) {
  const results = {}
  for (const { as, hook, rules } of registrations) {
    try {
      const handler = hook?.handler === 'FUNCTION' ? () => {} : hook?.handler
      results[as] = await (hook
        ? ctx.compatAdapter.registerHook({ ...hook, handler })
        : ctx.compatAdapter.registerRules(rules))
      results[`${as} frozen`] = Object.isFrozen(results[as]) && Object.isFrozen(results[as].degradations)
    } catch (error) {
      results[as] = { error: error.code, message: error.message }
    }
  }
  results.matrix = await ctx.compatAdapter.matrix()
  writeFileSync(told, JSON.stringify(results))
  ctx.on('agent/turn-stopping', async () => {
    writeFileSync(status, JSON.stringify(await ctx.compatAdapter.status()))
  })
}

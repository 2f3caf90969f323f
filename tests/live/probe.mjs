// Records what a surface file claims of DSH: by which kind each event is sent, which services there are, which bridges start.

import { writeFileSync } from 'node:fs'

export const name = 'probe'

const KINDS = ['emit', 'parallel', 'serial', 'bail', 'waterfall']

export function apply(ctx, { services, bridges, config, out }) {
  const kinds = {}
  const events = ctx.events
  for (const kind of KINDS) {
    const sent = events[kind]
    if (typeof sent !== 'function') continue
    events[kind] = function (...args) {
      const event = args.find((one) => typeof one === 'string')
      kinds[event] ??= kind
      return sent.apply(this, args)
    }
  }
  const started = {}
  let tried = false
  ctx.on('agent/pre-step', async (_event, next) => {
    if (!tried) {
      tried = true
      const loader = ctx.get('loader')
      for (const name of bridges) {
        const id = `probe-${name}`
        try {
          await loader.create({ id, name, config: { configPath: config } })
          started[name] = loader.store[id]?.fiber?.state === 2
          await loader.remove(id)
        } catch (error) {
          started[name] = false
        }
      }
    }
    return next()
  })
  ctx.on('agent/turn-stopping', () => {
    const present = services.filter((service) => ctx.get(service) !== undefined)
    writeFileSync(out, JSON.stringify({ kinds, services: present, bridges: started }))
  })
}

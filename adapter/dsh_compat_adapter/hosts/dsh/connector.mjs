// @ts-check
/**
 * The DSH side of dsh-compat-adapter: a plugin that asks a Python process what the hooks of a project say.
 *
 * It holds no semantics. It subscribes to the seams that it is told, reads each event into values by path, sends them,
 * and applies the typed decision that comes back. `python -m dsh_compat_adapter connect DIR` is the other side; the
 * protocol is one JSON object a line. When that process is dead, hung or absent, the failure policy of the bundle
 * decides, and it is said on stderr and, after a restart, to the process itself.
 */

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const name = 'dsh-compat-adapter'

const PROTOCOL = 1
const START_MS = 30_000 // until the process has opened the bundle; a cold start on a busy machine takes seconds
const PING_MS = 5_000 // the harness itself can stall for almost three seconds in its first ones
const HUNG_MS = 20_000
const BACKOFF_MS = [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000] // by the starts in a row that answered nothing
const SHELL_WAIT_MS = 3_000 // for the shell service while the profile is still loading
const CLOSE_MS = 5_000 // for hooks of the end of a session
const SOURCE = 'compat-adapter'
const ACTIVE = 2 // the state of a plugin that runs, in cordis
const MAX_CHILDREN = 1_000
const MAX_EVENTS = 10_000 // of a session log that are looked through for one value

/** @typedef {Record<string, any>} Values values by path */
/** @typedef {{seam: string, name: string, kind: string, decision: string | null}} Seam */
/** @typedef {{command: string[], policy: 'vendor' | 'strict', seams: Seam[]}} Config */
/** @typedef {{type: string, reason?: string, text?: string}} Decision */
/** @typedef {{text: string, source: string}} Said text for the model, and whose it is */
/** @typedef {{decision: Decision, messages: Said[]}} Reply */

// -- reading what DSH hands over

/** @param {any} content @returns {string} the text blocks of a message or result */
function textOf(content) {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.filter((block) => block?.type === 'text').map((block) => block.text).join('\n')
}

/** @param {any} session @returns {Generator<any>} its events, the last first */
function* backwards(session) {
  if (typeof session?.eventAt !== 'function') {
    const events = session?.events ?? []
    for (let at = events.length - 1; at >= Math.max(0, events.length - MAX_EVENTS); at--) yield events[at]
    return
  }
  for (let seq = session.seq, left = MAX_EVENTS; seq >= 0 && left > 0; seq--, left--) {
    const event = session.eventAt(seq)
    if (event) yield event
  }
}

/** @param {any} session @param {(event: any) => boolean} test @param {string} [until] a type that ends the search */
function latest(session, test, until) {
  for (const event of backwards(session)) {
    if (test(event)) return event
    if (event.type === until) return undefined
  }
  return undefined
}

/** @param {any} ctx @param {any} agent @returns {Values} what every event of an agent has */
function agentValues(ctx, agent) {
  if (!agent?.session) return {}
  return {
    ...sessionValues(ctx, agent.session),
    'session.model': agent.options?.model,
    'agent.id': agent.id,
    'agent.is_subagent': isSubagent(agent.session.header),
    'turn.id': String(latest(agent.session, (event) => event.type === 'turn/start')?.data?.turn ?? ''),
  }
}

/** @param {any} header */
function isSubagent(header) {
  return header?.origin === 'subagent' || header?.parentSession !== undefined
}

/** @param {any} ctx @param {any} session @returns {Values} */
function sessionValues(ctx, session) {
  const header = session?.header ?? {}
  return { 'session.id': header.id, 'session.cwd': header.cwd ?? process.cwd(), 'session.transcript': logOf(ctx, header) }
}

/** @param {any} ctx @param {any} header @returns {string} the path of the session's log, outside DSH's public contract */
function logOf(ctx, header) {
  try {
    return ctx.get('sessionPersistence')?.locate?.(header)?.path ?? ''
  } catch {
    return ''
  }
}

/** @param {any} exec @returns {Values} */
function toolValues(exec) {
  return { 'tool.host_name': exec.name, 'tool.host_arguments': exec.arguments, 'tool.call_id': exec.callId }
}

/** @param {any} exec @param {any} result @param {boolean} denied @returns {Values} */
function resultValues(exec, result, denied) {
  const text = textOf(result.content)
  return {
    ...toolValues(exec),
    'result.text': text,
    'result.value': result.value ?? text,
    'result.is_error': result.isError === true,
    'result.error': result.isError ? (result.error?.message ?? text) : null,
    'result.denied': denied,
  }
}

/** @param {any} session @returns {{number: number, calls: any[]}} the step before: how many, and its tool calls */
function stepBefore(session) {
  /** @type {any[]} */
  const calls = []
  const results = new Map()
  for (const event of backwards(session)) {
    if (event.type === 'tool/result') results.set(event.data.message?.toolCallId ?? event.data.callId, event.data)
    if (event.type === 'tool/call') calls.unshift(callOf(event.data, results.get(event.data.callId)))
    if (event.type === 'step/start') return { number: event.data.step, calls }
    if (event.type === 'turn/start') break
  }
  return { number: 0, calls: [] }
}

/** @param {any} call @param {any} result */
function callOf(call, result) {
  return {
    tool_name: call.name,
    tool_input: parsed(call.arguments),
    tool_use_id: call.callId,
    tool_response: textOf(result?.message?.content),
  }
}

/** @param {any} text @returns {any} JSON as its value, anything else as it is */
function parsed(text) {
  try {
    return typeof text === 'string' ? JSON.parse(text) : text
  } catch {
    return text
  }
}

/** @returns {string} the version of the running DSH, or nothing when it cannot be found */
function dshVersion() {
  // @ts-ignore: set where the runtime is a single executable
  let folder = path.dirname(process.pkg?.entrypoint ?? process.argv[1] ?? '/')
  for (;;) {
    const file = path.join(folder, 'node_modules/@deepseek-ai/dsh/package.json')
    try {
      if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')).version ?? ''
    } catch {
      return ''
    }
    const above = path.dirname(folder)
    if (above === folder) return ''
    folder = above
  }
}

/** @param {Said} said a message that DSH takes from a plugin */
function message({ text, source }) {
  const content = [{ type: 'text', text }]
  return { id: `${SOURCE}-${randomUUID()}`, role: 'user', content, source: { kind: source || SOURCE } }
}

/** @param {unknown} error @returns {string} */
function why(error) {
  return error instanceof Error ? error.message : String(error)
}

/** @param {string} text */
function tell(text) {
  console.error(`dsh-compat: ${text}`) // stdout belongs to the harness
}

/** @template T @param {T} value @returns {T} */
function frozen(value) {
  if (value && typeof value === 'object') Object.values(Object.freeze(value)).forEach(frozen)
  return value
}

// -- the process on the other side

/** One Python process. Every request is answered or rejected; nothing here is ever left unhandled. */
class Peer {
  /** @param {string[]} argv @param {(call: any, signal: AbortSignal) => Promise<any>} serve */
  constructor(argv, serve) {
    this.serve = serve
    /** @type {Map<number, {resolve: (reply: any) => void, reject: (error: Error) => void}>} */
    this.pending = new Map()
    /** @type {Map<number, {abort: AbortController, token: string}>} what the process has asked of this side */
    this.calls = new Map()
    this.next = 1
    this.rest = ''
    this.answered = false
    this.heard = Date.now()
    /** @type {string | undefined} */
    this.ended = undefined
    this.child = spawn(argv[0], argv.slice(1), { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/' })
    this.pid = this.child.pid
    this.gone = new Promise((resolve) => {
      this.child.on('error', (error) => resolve(this.end(`cannot be started: ${error.message}`)))
      this.child.on('exit', (code, signal) => resolve(this.end(`ended with ${signal ?? `exit code ${code}`}`)))
    })
    this.child.stdin.on('error', () => {}) // what was lost is answered by the exit
    this.child.stdout.on('error', () => {})
    this.child.stdout.setEncoding('utf8').on('data', (data) => this.read(data))
    this.watch = setInterval(() => this.check(), PING_MS)
    this.watch.unref()
  }

  /** @param {string} reason */
  end(reason) {
    if (this.ended !== undefined) return
    this.ended = reason
    clearInterval(this.watch)
    for (const { abort } of this.calls.values()) abort.abort()
    for (const { reject } of this.pending.values()) reject(new Error(`the hook process ${reason}`))
    this.pending.clear()
  }

  check() {
    if (this.pending.size === 0) {
      this.heard = Date.now()
      return
    }
    if (Date.now() - this.heard > HUNG_MS) {
      this.end(`has not answered for ${HUNG_MS / 1000} s`)
      this.child.kill('SIGKILL')
      return
    }
    this.write({ op: 'ping', id: this.next++ })
  }

  /** @param {object} line */
  write(line) {
    if (this.ended === undefined) this.child.stdin.write(`${JSON.stringify(line)}\n`)
  }

  /** @param {string} data */
  read(data) {
    this.heard = Date.now()
    const lines = (this.rest + data).split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) {
      try {
        this.take(JSON.parse(line))
      } catch (error) {
        tell(`a line of the hook process cannot be read: ${why(error)}`)
      }
    }
  }

  /** @param {any} line */
  take(line) {
    if (line.call !== undefined) {
      this.called(line)
      return
    }
    const waiting = this.pending.get(line.id)
    if (!waiting) return // the pong of a ping
    this.pending.delete(line.id)
    if (line.ok) waiting.resolve(line)
    else waiting.reject(Object.assign(new Error(line.error), { code: line.code }))
  }

  /** @param {any} line a call of a service of the harness, or its end */
  called(line) {
    if (line.abort) {
      this.calls.get(line.call)?.abort.abort()
      return
    }
    const abort = new AbortController()
    this.calls.set(line.call, { abort, token: line.token })
    this.serve(line, abort.signal)
      .then((value) => this.write({ op: 'result', call: line.call, value }))
      .catch((error) => this.write({ op: 'result', call: line.call, error: why(error) }))
      .finally(() => this.calls.delete(line.call))
  }

  /** @param {string} op @param {object} [fields] @param {AbortSignal} [signal] @returns {Promise<any>} */
  request(op, fields = {}, signal) {
    return new Promise((resolve, reject) => {
      if (this.ended !== undefined) {
        reject(new Error(`the hook process ${this.ended}`))
        return
      }
      const id = this.next++
      const cancel = () => this.write({ op: 'cancel', id: this.next++, target: id })
      this.pending.set(id, {
        resolve: (reply) => {
          signal?.removeEventListener('abort', cancel)
          this.answered = true
          resolve(reply)
        },
        reject: (error) => {
          signal?.removeEventListener('abort', cancel)
          reject(error)
        },
      })
      this.write({ op, id, ...fields })
      // the reply to a cancelled request comes when its hooks are dead
      if (signal?.aborted) cancel()
      else signal?.addEventListener('abort', cancel, { once: true })
    })
  }

  /** End it: what runs is answered first, for a bounded time. */
  async close() {
    this.child.stdin.end()
    const timer = setTimeout(() => this.child.kill('SIGKILL'), CLOSE_MS)
    await this.gone
    clearTimeout(timer)
  }
}

/** Keeps one process running: starts it, opens the bundle, starts it again when it died. */
class Link {
  /** @param {any} ctx @param {Config} config @param {(seams: Seam[]) => void} mounted @param {() => Promise<any>} told */
  constructor(ctx, config, mounted, told) {
    this.ctx = ctx
    this.mounted = mounted
    this.argv = [...config.command, path.dirname(fileURLToPath(import.meta.url))]
    /** @type {{op: string, fields: object}[]} what presets have registered, for a process that is started anew */
    this.registered = []
    /** @type {{text: string}[]} failures that the next process is told */
    this.notes = []
    /** @type {string[]} */
    this.orphans = []
    this.starts = 0
    this.fruitless = 0
    this.notBefore = 0
    this.closed = false
    /** @type {Peer | undefined} */
    this.running = undefined
    /** @type {Promise<Peer> | undefined} */
    this.current = undefined
    /** @type {any} kept, because at a shutdown it is gone from the context while it still works */
    this.shell = undefined
    this.settled = new Promise((resolve) => {
      ctx.inject(['shell'], (/** @type {any} */ inner) => {
        this.shell = inner.shell
        // a service waits for those who depend on it: hooks of the end of a session still have a shell
        inner.effect(() => told)
        resolve(undefined)
      })
      setTimeout(resolve, SHELL_WAIT_MS).unref()
    })
  }

  /** @returns {Promise<Peer>} a process that has opened the bundle; rejects at once while it must not be restarted */
  peer() {
    if (this.closed) return Promise.reject(new Error('the adapter was disposed'))
    if (!this.current) {
      const wait = this.notBefore - Date.now()
      if (wait > 0) return Promise.reject(new Error(`the hook process failed; it is started again in ${wait} ms`))
      this.current = this.start()
      this.current.catch((error) => this.closed || tell(`the hook process failed: ${why(error)}`))
    }
    return this.current
  }

  async start() {
    this.starts++
    const peer = new Peer(this.argv, (call, signal) => serve(this, call, signal))
    this.running = peer
    peer.gone.then(() => this.lost(peer))
    const timer = setTimeout(() => peer.child.kill('SIGKILL'), START_MS)
    try {
      await peer.request('hello', { protocol: PROTOCOL, dsh: dshVersion() })
      await this.settled
      const services = ['shell', 'approval', 'subagents'].filter((service) => this.ctx.get(service))
      const orphans = this.orphans.splice(0)
      this.mounted((await peer.request('open', { services, orphans })).seams)
      for (const { op, fields } of this.registered) await this.again(peer, op, fields)
      for (const note of this.notes.splice(0)) await peer.request('note', note)
      peer.answered = false // a start alone is no sign of health
      return peer
    } catch (error) {
      peer.child.kill('SIGKILL')
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Register once more what a preset has registered; what is refused now must not take the rest with it.
   * @param {Peer} peer @param {string} op @param {object} fields */
  async again(peer, op, fields) {
    try {
      this.mounted((await peer.request(op, fields)).seams)
    } catch (error) {
      if (peer.ended !== undefined) throw error
      this.note(`${op} was refused after a restart: ${why(error)}`)
    }
  }

  /** @param {Peer} peer */
  lost(peer) {
    if (this.running !== peer) return
    this.running = undefined
    this.current = undefined
    this.orphans.push(...[...peer.calls.values()].map((call) => call.token).filter(Boolean))
    if (this.closed) return
    if (peer.answered) this.fruitless = 0
    const delay = BACKOFF_MS[Math.min(this.fruitless++, BACKOFF_MS.length - 1)]
    this.notBefore = Date.now() + delay
    this.note(`the hook process ${peer.ended}`)
    // started again before it is needed, so that the next tool call does not wait for it
    setTimeout(() => this.peer().catch(() => {}), delay).unref()
  }

  /** @param {string} text */
  note(text) {
    tell(text)
    if (this.notes.length < 1000) this.notes.push({ text })
  }

  /** @param {string} op @param {object} fields @param {AbortSignal} [signal] */
  async ask(op, fields, signal) {
    return (await this.peer()).request(op, fields, signal)
  }

  async close() {
    this.closed = true
    await this.running?.close()
  }
}

/** @param {Link} link @param {any} call @param {AbortSignal} signal @returns {Promise<any>} */
async function serve({ ctx, shell }, { service, args }, signal) {
  const agent = args.agent === undefined ? undefined : ctx.get('agents')?.get(args.agent)
  switch (service) {
    case 'shell':
      return runCommand(ctx.get('shell') ?? shell, args, signal)
    case 'mount_bridge':
      return mountBridge(ctx.get('loader'), args)
    case 'unmount_bridge':
      return ctx.get('loader').remove(args.id)
    case 'inject':
      return agent.inject(message(args))
    case 'steer':
      return agent.steer(message(args))
    case 'approval':
      return ctx.get('approval').request({ agent, toolName: args.tool, callId: args.call_id, reason: args.reason, signal })
    default:
      throw new Error(`no service ${service}`)
  }
}

/** @param {any} loader @param {any} args a row of its own; one that does not become active is taken away again */
async function mountBridge(loader, { id, package: name, config }) {
  await loader.create({ id, name, config })
  if (loader.store[id]?.fiber?.state === ACTIVE) return
  await loader.remove(id)
  throw new Error(`${name} did not become active`)
}

/** @param {any} shell @param {any} args @param {AbortSignal} signal */
async function runCommand(shell, { command, cwd, env, stdin, timeout_ms: timeoutMs, max_bytes: stdoutMaxBytes }, signal) {
  const request = { command, workdir: cwd, env, stdin, timeoutMs, onExpiry: 'kill', stdoutMaxBytes, signal }
  // DSH 0.1 has run(spec) and DSH 0.2 execute(spec).result()
  const spec = await shell.resolve(request)
  const ended = shell.execute ? await (await shell.execute(spec)).result() : await shell.run(spec)
  return {
    exit_code: ended.exitCode,
    signal: ended.signal,
    timed_out: ended.timedOut,
    stdout: ended.stdout.text,
    stderr: ended.stderr.text,
    truncated: ended.stdout.truncated === true,
  }
}

/** @param {any} event @returns {Values} */
function eventValues({ type, seq, data }) {
  const { stream, ...rest } = data ?? {} // the chunks of a message stand in the message as well
  return { 'event.type': type, 'event.seq': seq, 'event.data': rest }
}

/** @param {any} event @returns {Values} */
function requestValues({ agent, step }) {
  const models = []
  for (const event of backwards(agent.session)) {
    if (event.type === 'request/context') models.push(event.data.model)
    if (models.length === 1) break
  }
  return { 'request.model': agent.options?.model, 'request.previous_model': models[0] ?? null, 'request.number': step }
}

/** @param {any} frame @returns {Values} */
function frameValues(frame) {
  const delta = frame.chunk?.text ?? frame.chunk?.delta ?? ''
  const final = frame.outcome !== undefined
  return { 'message.id': frame.attemptId, 'message.index': frame.index ?? 0, 'message.delta': delta, 'message.final': final }
}

/** @param {any} event @returns {Values} */
function childValues({ id, runId, stopReason, lastAssistantMessage }) {
  return {
    'subagent.id': id,
    'subagent.run_id': runId,
    'subagent.stop_reason': stopReason,
    'subagent.last_message': textOf(lastAssistantMessage?.content ?? lastAssistantMessage),
  }
}

/** @param {any} event @returns {Values} of the first question; the others come with it */
function questionValues({ questions }) {
  const [first] = questions ?? []
  return {
    'question.id': first?.id,
    'question.text': first?.question,
    'question.header': first?.header,
    'question.options': first?.options,
  }
}

// -- applying decisions, by the kind of the seam

/** @type {Reply} */
const NOTHING = { decision: { type: 'notify' }, messages: [] }
/** @type {Record<string, string>} what refuses at a seam of a kind */
const REFUSALS = { 'pre-tool': 'deny-tool', prompt: 'block-prompt', approval: 'reject' }
/** @type {Record<string, string>} */
const ANSWERS = { 'allow-once': 'allowed-once', reject: 'rejected', cancel: 'cancelled' }

/** @param {any} entering @param {string} text */
function rewritten(entering, text) {
  const others = entering.content.filter((/** @type {any} */ block) => block?.type !== 'text')
  return { ...entering, content: [{ type: 'text', text }, ...others] }
}

/** The listeners of one bundle, and what they have to remember between two events. */
class Listeners {
  /** @param {any} ctx @param {Config} config */
  constructor(ctx, config) {
    this.ctx = ctx
    this.strict = config.policy === 'strict'
    /** @type {Set<string>} */
    this.mounted = new Set()
    this.ran = new WeakSet() // tokens of the calls that came to their tool; the others were denied or cancelled
    /** @type {Map<string, Promise<any[]>>} by agent: text for its first step, where its start is not awaited */
    this.starting = new Map()
    /** @type {Map<string, Values>} by sub-agent: what is known of it, since it is gone when its end is told */
    this.children = new Map()
    /** @type {Set<Promise<any>>} */
    this.telling = new Set()
    this.link = new Link(ctx, config, (seams) => this.mount(seams), () => this.told())
    this.mount(config.seams)
    // these two are always there: one remembers what ran, the other gives late text to the first step
    this.listen('tools/execute', (exec, next) => {
      this.ran.add(exec.token)
      return next()
    })
    this.listen('agent/pre-step', (event, next) => this.firstStep(event, next))
    this.listen('subagent/start', ({ id }) => this.remember(id))
  }

  /** @param {Seam[]} seams */
  mount(seams) {
    for (const seam of seams) {
      if (this.mounted.has(seam.seam)) continue
      this.mounted.add(seam.seam)
      this.listen(seam.name, this.listener(seam))
    }
  }

  /** Before the listeners of other plugins, which may keep an event to themselves; the order of loading is left to chance.
   * @param {string} event @param {(...args: any[]) => any} listener */
  listen(event, listener) {
    this.ctx.on(event, listener, { prepend: true })
  }

  /** @param {Seam} seam @returns {(...args: any[]) => any} */
  listener(seam) {
    switch (seam.decision) {
      case 'pre-tool':
        return (exec, next) => this.preTool(seam, exec, next)
      case 'post-tool':
        return (exec, result, next) => this.postTool(seam, exec, result, next)
      case 'prompt':
        return (event, next) => this.prompt(seam, event, next)
      case 'continuation':
        return (event) => this.continuation(seam, event)
      case 'approval':
        return (request, next) => this.approval(seam, request, next)
      case 'session-start':
        return (event) => this.start(seam, event)
      default:
        return (...args) => this.observe(seam, args)
    }
  }

  /** Ask the hooks of a seam. Never rejects: what goes wrong is decided by the failure policy.
   * @param {Seam} seam @param {any} agent @param {Values} values @param {AbortSignal} [signal] @returns {Promise<Reply>} */
  async ask(seam, agent, values, signal) {
    try {
      const fields = { seam: seam.seam, values: { ...agentValues(this.ctx, agent), ...values } }
      return await this.link.ask('seam', fields, signal)
    } catch (error) {
      if (signal?.aborted) return this.refusal(seam, 'the turn was cancelled while its hooks ran') ?? NOTHING
      const refusal = this.strict ? this.refusal(seam, `a hook could not run: ${why(error)}`) : undefined
      this.link.note(`${seam.seam}: ${why(error)}; ${refusal ? 'refused (policy strict)' : 'went on without its hooks'}`)
      return refusal ?? NOTHING
    }
  }

  /** @param {Seam} seam @param {string} reason @returns {Reply | undefined} nothing where a seam can refuse nothing */
  refusal(seam, reason) {
    const type = REFUSALS[seam.decision ?? '']
    return type ? { decision: { type, reason }, messages: [] } : undefined
  }

  /** @param {any} agent @param {Said[]} messages */
  inject(agent, messages) {
    for (const said of messages) {
      try {
        agent.inject(message(said))
      } catch (error) {
        this.link.note(`context for agent ${agent?.id} was lost: ${why(error)}`)
      }
    }
  }

  /** @param {Seam} seam @param {any} exec @param {() => Promise<any>} next */
  async preTool(seam, exec, next) {
    const { decision, messages } = await this.ask(seam, exec.agent, toolValues(exec), exec.signal)
    this.inject(exec.agent, messages)
    // a deny without a reason would let the tool run
    const reason = decision.reason || 'denied by a hook'
    if (decision.type === 'deny-tool') {
      return { kind: 'deny', reason, info: { name: 'CompatAdapter', code: 'DENIED_BY_HOOK', reason } }
    }
    const inner = await next()
    if (decision.type !== 'ask-tool' || (inner.kind !== 'allow' && inner.kind !== 'ask')) return inner
    return { kind: 'ask', reason: inner.kind === 'ask' && inner.reason ? `${reason}\n\n${inner.reason}` : reason }
  }

  /** @param {Seam} seam @param {any} exec @param {any} result @param {() => Promise<any>} next */
  async postTool(seam, exec, result, next) {
    const values = resultValues(exec, result, !this.ran.has(exec.token))
    const { decision, messages } = await this.ask(seam, exec.agent, values, exec.signal)
    const inner = await next()
    const additionalContexts = [...messages.map(message), ...(inner.additionalContexts ?? [])]
    if (decision.type === 'block-result') {
      return { kind: 'block', feedback: [{ type: 'text', text: decision.reason }], additionalContexts }
    }
    if (decision.type === 'accept-result' && typeof decision.text === 'string' && inner.kind === 'accept') {
      return { kind: 'accept', content: [{ type: 'text', text: decision.text }], additionalContexts }
    }
    return { ...inner, additionalContexts }
  }

  /** Each step is asked about once, and each message that enters with it once more.
   * @param {Seam} seam @param {any} event @param {() => Promise<any>} next */
  async prompt(seam, event, next) {
    const before = stepBefore(event.agent.session)
    const step = { 'step.number': event.step, 'step.tool_calls': before.calls, 'step.continues': before.calls.length > 0 }
    const opened = await this.ask(seam, event.agent, step, event.signal)
    if (opened.decision.type === 'block-prompt') return { kind: 'reject' }
    const added = [...opened.messages]
    /** @type {Map<string, any>} */
    const changed = new Map()
    for (const entering of event.messages) {
      const values = { 'prompt.text': textOf(entering.content), 'prompt.source': entering.source?.kind }
      const { decision, messages } = await this.ask(seam, event.agent, values, event.signal)
      added.push(...messages)
      if (decision.type === 'block-prompt') changed.set(entering.id, undefined)
      else if (typeof decision.text === 'string') changed.set(entering.id, rewritten(entering, decision.text))
    }
    const kept = event.messages.filter((/** @type {any} */ one) => !changed.has(one.id) || changed.get(one.id))
    const onlyOwn = kept.every((/** @type {any} */ one) => one.source?.kind?.startsWith(SOURCE))
    if (kept.length < event.messages.length && event.step === 1 && onlyOwn) return { kind: 'reject' }
    const inner = await next()
    if (inner.kind !== 'enter') return inner
    const entered = inner.messages.map((/** @type {any} */ one) => (changed.has(one.id) ? changed.get(one.id) : one))
    return { ...inner, messages: [...entered.filter(Boolean), ...added.map(message)] }
  }

  /** @param {any} event @param {() => Promise<any>} next */
  async firstStep(event, next) {
    const starting = this.starting.get(event.agent.id)
    if (!starting) return next()
    this.starting.delete(event.agent.id)
    const late = await starting
    const inner = await next()
    return inner.kind === 'enter' ? { ...inner, messages: [...late, ...inner.messages] } : inner
  }

  /** @param {Seam} seam @param {any} event */
  async continuation(seam, { agent, signal }) {
    const last = latest(agent.session, (event) => event.type === 'assistant/message', 'turn/start')
    const values = { 'stop.last_message': textOf(last?.data?.message?.content) }
    const { decision, messages } = await this.ask(seam, agent, values, signal)
    this.inject(agent, messages)
    if (decision.type === 'continue-turn') agent.steer(message({ text: decision.reason ?? '', source: SOURCE }))
  }

  /** @param {Seam} seam @param {any} request @param {() => Promise<any>} next */
  async approval(seam, request, next) {
    const { agent, toolName, callId, reason, signal } = request
    const call = latest(agent?.session, (event) => event.type === 'tool/call' && event.data.callId === callId)
    const exec = { name: toolName, callId, arguments: parsed(call?.data?.arguments) }
    const { decision, messages } = await this.ask(seam, agent, { ...toolValues(exec), 'approval.reason': reason }, signal)
    this.inject(agent, messages)
    return ANSWERS[decision.type] ?? next()
  }

  /** @param {Seam} seam @param {any} event */
  async start(seam, event) {
    const agent = event.agent ?? this.ctx.get('agents')?.get(event.id)
    const values = event.agent
      ? { 'session.source': event.source ?? 'startup' }
      : { 'subagent.id': event.id, 'subagent.run_id': event.runId }
    const asking = this.ask(seam, agent, values, event.signal)
    if (seam.kind !== 'emit') {
      this.inject(agent, (await asking).messages)
      return
    }
    if (!agent) return
    const before = this.starting.get(agent.id) ?? Promise.resolve([])
    const both = Promise.all([before, asking]).then(([late, reply]) => [...late, ...reply.messages.map(message)])
    this.starting.set(agent.id, both)
  }

  /** Seams that only tell. One that is a waterfall goes on when its hooks have run.
   * @param {Seam} seam @param {any[]} args */
  observe(seam, args) {
    const next = seam.kind === 'waterfall' ? args.pop() : undefined
    const [agent, values] = this.readSafely(seam.seam, args)
    if (values['message.delta'] === '' && !values['message.final']) return undefined // a frame that shows nothing
    const asked = this.ask(seam, agent, values).then(({ messages }) => this.inject(agent, messages))
    this.telling.add(asked)
    const told = asked.finally(() => this.telling.delete(asked))
    return next ? told.then(() => next()) : undefined
  }

  /** An event of another shape than this version's is told without values: whoever sent it must not be disturbed.
   * @param {string} seam @param {any[]} args @returns {[any, Values]} */
  readSafely(seam, args) {
    try {
      return this.read(seam, args)
    } catch (error) {
      this.link.note(`an event of ${seam} cannot be read: ${why(error)}`)
      return [undefined, {}]
    }
  }

  /** @param {string} seam @param {any[]} args @returns {[any, Values]} the agent of an event, and its values */
  read(seam, [event, detail, actor]) {
    switch (seam) {
      case 'session/event':
        return [this.agentOf(event), { ...sessionValues(this.ctx, event), ...eventValues(detail) }]
      case 'session/created':
      case 'session/disposed':
        return [undefined, sessionValues(this.ctx, event)]
      case 'tools/result':
        return [event.agent, resultValues(event, detail, !this.ran.has(event.token))]
      case 'agent/request':
        return [event.agent, requestValues(event)]
      case 'agent/assistant-stream':
        return [event.agent, frameValues(event.frame)]
      case 'agent/status':
        return [event.agent, { 'status.name': event.status }]
      case 'agent/error':
        return [event.agent, { 'error.message': event.error?.message, 'error.name': event.error?.name }]
      case 'subagent/end':
        return [undefined, { ...this.children.get(event.id), ...childValues(event) }]
      case 'fs/observed':
        return [actor?.agent, { 'file.path': event?.displayPath ?? event?.path ?? String(event), 'file.change': detail?.kind }]
      case 'settings/document-updated':
        return [undefined, { 'settings.namespace': event, 'settings.revision': detail }]
      case 'plugin-manager/changed':
        return [undefined, { 'plugin.reason': event?.reason }]
      case 'user-questions/request':
        return [event.agent, questionValues(event)]
      default:
        return [event?.agent, {}]
    }
  }

  /** @param {string} id */
  remember(id) {
    if (this.children.size >= MAX_CHILDREN) this.children.delete([...this.children.keys()][0])
    this.children.set(id, agentValues(this.ctx, this.ctx.get('agents')?.get(id)))
  }

  /** @param {any} session @returns {any} */
  agentOf(session) {
    return this.ctx.get('agents')?.list?.().find((/** @type {any} */ agent) => agent.session === session)
  }

  /** Wait, for a bounded time, until what is being told has been answered. */
  async told() {
    await Promise.race([Promise.allSettled([...this.telling]), new Promise((r) => setTimeout(r, CLOSE_MS).unref())])
  }

  async close() {
    await this.told()
    await this.link.close()
  }
}

// -- what presets see

/** `ctx.compatAdapter`. Results are frozen; a declaration that cannot be processed is rejected with its `code`. */
class CompatAdapter {
  /** @type {Link} */
  #link

  /** @param {Link} link */
  constructor(link) {
    this.#link = link
  }

  /** @param {object} declaration vendor, event, handler; perhaps matcher, timeout (s), onError, env, bridge */
  async registerHook(declaration) {
    return this.#register('register_hook', declaration)
  }

  /** @param {object} declaration vendor, source; and baseDir where the source is relative */
  async registerRules(declaration) {
    return this.#register('register_rules', declaration)
  }

  /** What is registered, with hashes, and how the process behind it does. */
  async status() {
    const { starts, running } = this.#link
    const { status } = await this.#link.ask('status', {})
    return frozen({ ...status, connector: { protocol: PROTOCOL, dsh: dshVersion(), starts, pid: running?.pid } })
  }

  /** Every event of every vendor, with its losses. */
  async matrix() {
    return frozen((await this.#link.ask('matrix', {})).matrix)
  }

  /** @param {string} op @param {any} declaration */
  async #register(op, declaration) {
    const code = typeof declaration?.handler === 'function'
    const fields = { declaration: code ? { ...declaration, handler: null } : declaration, code }
    const { result, seams } = await this.#link.ask(op, fields)
    this.#link.registered.push({ op, fields })
    this.#link.mounted(seams)
    return frozen(result)
  }
}

/** @param {any} ctx @param {Config} config */
export async function apply(ctx, config) {
  const listeners = new Listeners(ctx, config)
  ctx.effect(() => () => listeners.close())
  ctx.provide('compatAdapter', new CompatAdapter(listeners.link))
  // started now, so that the first event does not wait for it; a failure is told and retried there
  listeners.link.peer().catch(() => {})
}

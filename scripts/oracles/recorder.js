// The callbacks of every case, for an engine whose hooks are JavaScript. As recorder.sh does for commands, each keeps
// what it was given in FOLDER/log and does what stands in FOLDER/answers/CASE.TAG.json: a list of steps.
import fs from "node:fs"

const LONG = 300 // a longer text is one of the engine's own, and no case is about it
let calls = 0
let current

const short = (_key, value) => {
  if (typeof value === "function") return undefined
  return typeof value === "string" && value.length > LONG ? "{long}" : value
}

const holder = (object, path) => {
  const names = path.split(".")
  const last = names.pop()
  return [names.reduce((value, name) => value[name], object), last]
}

const steps = {
  set: (output, path, value) => {
    const [object, name] = holder(output, path)
    object[name] = value
  },
  append: (output, path, text) => {
    const [object, name] = holder(output, path)
    object[name] += text
  },
  push: (output, path, value) => {
    const [object, name] = holder(output, path)
    object[name].push(value)
  },
}

const does = async (answer, output) => {
  for (const [step, value] of answer.map((one) => Object.entries(one)[0])) {
    if (step === "wait") await new Promise((done) => setTimeout(done, value))
    else if (step === "reject") throw new Error(value)
    else if (step === "reject-text") throw value
    else if (step === "return") return value
    else if (step === "print") console.log(value)
    else if (step === "float") Promise.reject(new Error(value))
    else if (step === "later") setTimeout(() => does(value, output), 0)
    else for (const [path, member] of Object.entries(value)) steps[step](output, path, member)
  }
}

const called = (folder, tag, input, output) => {
  const text = JSON.stringify({ input: input ?? null, output: output ?? null }, short)
  const named = text.match(/case-([a-z0-9-]+)/)
  current = named ? named[1] : (current ?? fs.readFileSync(`${folder}/current`, "utf8"))
  const seen = `${folder}/log/${tag}.${String(calls++).padStart(6, "0")}`
  fs.writeFileSync(seen, text)
  fs.writeFileSync(`${seen}.env`, `CASE=${current}\nCWD=${process.cwd()}\n`)
  const file = `${folder}/answers/${current}.${tag}.json`
  const answer = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : []
  const thrown = answer.find((one) => "throw" in one)
  if (thrown) throw new Error(thrown.throw)
  return does(answer, output)
}

// A plugin: `keys` are callbacks by their own name, `types` are events of the bus, which the one callback `event` is told.
export const recorder = (folder, slot, keys, types) => async () => ({
  ...Object.fromEntries(keys.map((key) => [key, (input, output) => called(folder, `${key}.${slot}`, input, output)])),
  event: (input) => types.includes(input.event.type) && called(folder, `${input.event.type}.${slot}`, input, null),
})

import { appendFileSync } from "node:fs"

export const LIMIT = 3

export const Guard = async ({ directory }) => {
  appendFileSync(`${directory}/.started`, "x")
  return {
    "tool.execute.before": async (input, output) => {
      if (output.args.filePath.endsWith(".env")) throw new Error("not this file")
    },
    tool: { look: {} },
  }
}

import { appendFileSync } from "node:fs"

export const LIMIT = 3

export const Tools = async ({ directory }) => {
  appendFileSync(`${directory}/.started`, "x")
  return {
    tool: { look: {} },
  }
}

// Keeps the shell away from .env, and logs when a session has gone idle.
export const Guard = async ({ client }) => ({
  "tool.execute.before": async (input, output) => {
    const command = input.tool === "bash" ? String(output.args.command) : ""
    if (/(?<![\w.])\.env\b(?!\.example)/.test(command)) {
      throw new Error(".env holds the carriers' API keys; .env.example shows its shape")
    }
  },
  event: async ({ event }) => {
    if (event.type === "session.idle") {
      await client.app.log({ body: { service: "parcel-tracker", level: "info", message: "session idle" } })
    }
  },
})

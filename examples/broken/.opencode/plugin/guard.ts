export const Guard = async () => ({
  "tool.execute.before": async (input, output) => {
    if (output.args.filePath.endsWith(".env")) throw new Error("not this file")
  },
})

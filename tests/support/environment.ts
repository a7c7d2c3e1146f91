/** Runs a function with other environment variables, and restores the old ones. */
export async function withEnvironment<T>(
  variables: Readonly<Record<string, string>>,
  run: () => Promise<T>,
): Promise<T> {
  const saved = { ...process.env }
  Object.assign(process.env, variables)
  try {
    return await run()
  } finally {
    for (const name of Object.keys(variables)) {
      const before = saved[name]
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    }
  }
}

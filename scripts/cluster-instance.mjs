// One instance of `npm run start:cluster`. Its settings come from the environment alone; it ends with the one who started it.
process.on('disconnect', () => process.exit(1))
const { serveUntilSignal } = await import('./serve.js')
try {
  await serveUntilSignal()
} catch (error) {
  const isOurs = error instanceof Error && error.name === 'ConfigurationError'
  console.error(isOurs ? error.message : error)
  process.exit(1)
}

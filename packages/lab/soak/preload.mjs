// Loaded into a server before anything else (`node --expose-gc --import`): at SIGUSR2 it throws away what is garbage and says how
// much is left, as a line of its output.
let asked = 0

process.on('SIGUSR2', () => {
  global.gc?.()
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage()
  asked += 1
  console.log(`SOAK ${JSON.stringify({ asked, heapUsed, external, arrayBuffers, rss })}`)
})

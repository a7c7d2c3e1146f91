// Loaded into a server before anything else (`node --expose-gc --import`): at SIGUSR2 it collects garbage and prints
// the remaining size, as a line of its output.
let asked = 0

process.on('SIGUSR2', () => {
  global.gc?.()
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage()
  asked += 1
  console.log(`SOAK ${JSON.stringify({ asked, heapUsed, external, arrayBuffers, rss })}`)
})

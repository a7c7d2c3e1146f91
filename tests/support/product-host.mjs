// A process that serves the built product again and again, each time with other files: what was compiled stays warm.
// For browser tests, which need a product nobody touched but no process of their own. Asked over the IPC channel.
import { serve } from '../../scripts/serve.js'

/** @type {Awaited<ReturnType<typeof serve>> | null} */
let serving = null

process.on('message', async (/** @type {Record<string, string> | 'stop'} */ wanted) => {
  await serving?.stop()
  serving = null
  if (wanted !== 'stop') {
    Object.assign(process.env, wanted)
    serving = await serve()
  }
  process.send?.('done')
})
// Whoever asked is gone.
process.on('disconnect', () => process.exit(0))

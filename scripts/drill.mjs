// `npm run drill`: restores the newest backup to a temporary place, checks it, starts the product on it (held), and
// deletes it. In the container: node scripts/drill.mjs
import './help.mjs'
import { createServer } from 'node:net'
import { operate } from './operations.mjs'

/** @returns {Promise<number>} a free port of this machine */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/**
 * Starts the built product in this process, on the restored copy.
 *
 * @param {Record<string, string>} variables
 * @returns {Promise<string | null>} null = ready
 */
async function startWith(variables) {
  const port = await freePort()
  Object.assign(process.env, variables, { PORT: String(port) })
  const { serve } = await import('./serve.js')
  try {
    const { stop } = await serve()
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(10_000) })
      return answer.status === 200 ? null : `/readyz answers ${answer.status}`
    } finally {
      await stop()
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

await operate('drillCommand', { startWith })

// Runs the server in this process, so that it receives signals, and explains a failed start in plain sentences.
import { existsSync } from 'node:fs'
import * as modules from 'node:module'
import { fileURLToPath } from 'node:url'

/** What V8 made of our files and of the packages: with it, a start takes a fifth less. A folder that cannot be written is no error. */
const COMPILED = fileURLToPath(new URL('../.cache/compiled', import.meta.url))

/**
 * @param {import('vite').ViteDevServer} [dev] takes the pages from Vite instead of `build/`
 * @returns {Promise<{ url: string, openUrl: string }>} once it is listening; ends the process when it cannot start
 */
export async function runServer(dev) {
  // A person's own settings; the environment takes precedence.
  if (existsSync('.env')) process.loadEnvFile('.env')
  modules.enableCompileCache?.(COMPILED)
  const { serveUntilSignal } = await import('./serve.js')
  try {
    const serving = await serveUntilSignal(dev ? { dev } : {})
    // Not at the end: a process may be killed.
    modules.flushCompileCache?.()
    return serving
  } catch (error) {
    const isOurs = error instanceof Error && error.name === 'ConfigurationError'
    console.error(isOurs ? `\nFieldhook cannot start:\n${error.message}` : error)
    process.exit(1)
  }
}

// Runs the server in this process, so that it receives signals, and explains a failed start in plain sentences.
import { existsSync } from 'node:fs'

/**
 * @param {import('vite').ViteDevServer} [dev] takes the pages from Vite instead of `build/`
 * @returns {Promise<{ url: string, openUrl: string }>} once it is listening; ends the process when it cannot start
 */
export async function runServer(dev) {
  // A person's own settings; the environment takes precedence.
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { serveUntilSignal } = await import('./serve.js')
  try {
    return await serveUntilSignal(dev ? { dev } : {})
  } catch (error) {
    const isOurs = error instanceof Error && error.name === 'ConfigurationError'
    console.error(isOurs ? `\nFieldhook cannot start:\n${error.message}` : error)
    process.exit(1)
  }
}

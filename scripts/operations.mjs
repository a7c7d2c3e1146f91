// Loads what `npm run backup`, `restore`, `drill` and `release` do: a file of the build, so that it works in the container too.
// In a clone it is built when it is missing or stale; the running product asks with --json, and nothing is built under it.
import './node-version.mjs'
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { assumeProduction } from './production.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * The command line of one operation; the process ends with its code.
 *
 * @param {'backupCommand' | 'restoreCommand' | 'drillCommand' | 'releaseCommand'} command
 * @param {object} [more] what the command needs besides its arguments
 */
export async function operate(command, more = {}) {
  process.chdir(ROOT)
  assumeProduction()
  const args = process.argv.slice(2)
  if (!args.includes('--json') && existsSync('vite.config.ts')) {
    const { orExplain, setUp } = await import('./setup.mjs')
    await orExplain(() => setUp({ build: true, say: (line) => console.error(line) }))
  }
  // A person's own settings; what is set in the environment counts more.
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { OPERATIONS } = await import('./operations-file.mjs')
  const operations = await import(pathToFileURL(OPERATIONS).href)
  const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`)
  process.exitCode = await operations[command]({ args, say, ...more })
}

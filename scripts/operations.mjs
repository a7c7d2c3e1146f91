// Loads the code of `npm run backup`, `restore`, `drill`, `release`, `move`, `erase` and `keys -- --lost`: a file of the build, so it works in the
// container. A clone builds it when missing or stale; with --json the running product calls it, and nothing is built.
import './help.mjs'
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { OPERATIONS } from './operations-file.mjs'
import { assumeProduction } from './production.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs the command line of one operation; the process exits with its code.
 *
 * @param {'migrateCommand' | 'backupCommand' | 'restoreCommand' | 'drillCommand' | 'releaseCommand' | 'moveCommand' | 'lostKeyCommand' | 'eraseCommand'} command
 * @param {object} [more] additional dependencies of the command
 */
export async function operate(command, more = {}) {
  process.chdir(ROOT)
  assumeProduction()
  const args = process.argv.slice(2)
  if (!args.includes('--json') && existsSync('vite.config.ts')) {
    const { orExplain, setUp } = await import('./setup.mjs')
    await orExplain(() => setUp({ build: true, packages: 'product', say: console.error, enough: OPERATIONS }))
  }
  // A person's own settings; the environment takes precedence.
  if (existsSync('.env')) process.loadEnvFile('.env')
  const operations = await import(pathToFileURL(OPERATIONS).href)
  const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`)
  process.exitCode = await operations[command]({ args, say, ...more })
}

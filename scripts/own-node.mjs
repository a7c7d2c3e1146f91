// Provides our own Node when the installed one is too old: an exact version with its hash, from the package registry,
// cached for this user. Written so that an old Node can still parse it.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { isMusl, SetupError } from './packages.mjs'
import { bringPackage, keptFolder } from './pinned-package.mjs'

const NEEDED = 'Fieldhook needs Node.js 22.14 or newer in the 22 line, or 24 and up.'
/** After an outside signal, the command gets this long to end before we end without it. The server drains in 20 s. */
const DRAIN_MS = 30_000

/** @type {Record<string, import('./pinned-package.mjs').Pin>} by `platform-arch` */
export const PINS = JSON.parse(readFileSync(new URL('own-node.json', import.meta.url), 'utf8'))

/**
 * Runs the present command again with our own Node, and ends this process with its exit code. Does not return.
 */
export async function goOnWithOwnNode() {
  try {
    const node = await ownNode(console.error)
    await handOver(node)
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    console.error(`\n${error.message}`)
    process.exit(1)
  }
}

/**
 * The path of our own Node; installs it when missing.
 *
 * @param {(line: string) => void} say
 * @param {{ env?: Record<string, string | undefined>, system?: string }} [where]
 * @returns {Promise<string>}
 * @throws {SetupError} refused by NODE_OWN=1, none for this system, or the registry cannot be reached
 */
export async function ownNode(say, { env = process.env, system = `${process.platform}-${process.arch}` } = {}) {
  const problem = `${NEEDED} This is ${process.version}.`
  if (env.NODE_OWN === '1') throw new SetupError(problem, 'NODE_OWN=1 forbids to bring one.')
  const pin = isMusl() ? undefined : PINS[system]
  if (!pin) throw new SetupError(problem, `None can be brought for this system (${system}): install Node.js 24.`)
  const folder = keptFolder(`node-${pin.version}-${system}`)
  const node = join(folder, 'node_modules', pin.package, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  const isThere = existsSync(node)
  say(
    `Node ${process.version} is too old: going on with Node ${pin.version}, ${isThere ? 'kept in' : 'brought to'} ${folder}`,
  )
  const said = isThere ? null : await bringPackage(pin, folder)
  if (said !== null) throw new SetupError(said, problem, 'None could be brought; the reason is above.')
  return node
}

/** @param {string} node */
async function handOver(node) {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    // Programs that the command starts by name must use this Node too.
    env: { ...process.env, PATH: [dirname(node), process.env.PATH].filter(Boolean).join(delimiter) },
  })
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    child.kill(signal)
    setTimeout(() => child.kill('SIGKILL'), DRAIN_MS).unref()
  }
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, pass)
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(127))
    child.on('exit', (exitCode, signal) => resolve(exitCode ?? (signal ? 128 + constants.signals[signal] : 1)))
  })
  process.exit(code)
}

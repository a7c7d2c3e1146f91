// The files and the process of a PostgreSQL server of ours.
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { SetupError } from './packages.mjs'

/** PostgreSQL refuses to run as root. */
const NOBODY = 65534
export const SUPERUSER = 'postgres'
const START_WITHIN_MS = 30_000
const STOP_WITHIN_MS = 30_000
/** After a kill, the server's own children may need a moment until the next start is possible. */
const AGAIN_WITHIN_MS = 10_000
const IN_USE = /shared memory block|lock file .* already exists|Address already in use/

/**
 * Ends the server and removes its folder once this process is gone, however it ended: its standard input then closes.
 * A line on it says that there is nothing left to do. A process number that was used again is left alone.
 */
const WATCHER = `
trap '' HUP INT TERM
read -r _ && exit 0
is_ours() { case "$(cat "/proc/$pid/comm" 2>/dev/null || ps -o comm= -p "$pid" 2>/dev/null)" in *postgres*) ;; *) false ;; esac; }
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ] && is_ours; then
  kill -CONT "$pid"; kill -QUIT "$pid"; tries=0
  while is_ours && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  is_ours && kill -KILL "$pid"
fi
rm -rf "$1"; sleep 1; rm -rf "$1"
`

/** @typedef {{ uid?: number, gid?: number }} Identity of the server's processes: ours, unless we are root */

/** @returns {Identity} */
export function identityOfServer() {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
}

/** @param {Identity} identity */
export function makeFolder({ uid, gid }) {
  // Another user has to reach it: a folder of root's own is no place for it.
  const reached = uid === undefined || (statSync(tmpdir()).mode & 0o1) === 1
  const folder = mkdtempSync(join(reached ? tmpdir() : '/tmp', 'fieldhook-postgres-'))
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  chmodSync(folder, 0o700)
  return folder
}

/**
 * A cache below root's home is closed to the user who runs the server: that one then gets links, or on another disk a copy.
 *
 * @param {string} bin @param {string} folder @param {Identity} identity
 * @returns {{ bin: string, version: string }}
 */
export function reachable(bin, folder, identity) {
  const asked = runServer(join(bin, 'postgres'), ['--version'], folder, identity)
  if (asked.status === 0) return { bin, version: numberOf(asked.stdout) }
  if (identity.uid === undefined) throw new SetupError(`${bin}/postgres does not start: ${problemOf(asked)}`)
  const copy = join(folder, 'program')
  // The files stay root's, whoever runs them: a copy would be 60 MB to write for every server.
  if (spawnSync('cp', ['-al', dirname(bin), copy]).status !== 0) {
    rmSync(copy, { recursive: true, force: true })
    cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE })
  }
  spawnSync('chmod', ['-R', 'a+rX', copy])
  const again = runServer(join(copy, 'bin/postgres'), ['--version'], folder, identity)
  if (again.status !== 0) throw new SetupError(`${bin}/postgres does not start: ${problemOf(again)}`)
  return { bin: join(copy, 'bin'), version: numberOf(again.stdout) }
}

/** @param {string} text */
export function numberOf(text) {
  return /\d+(\.\d+)*/.exec(text)?.[0] ?? 'of unknown version'
}

/** @param {string} program @param {string[]} args @param {string} folder @param {Identity} identity */
function runServer(program, args, folder, identity) {
  return spawnSync(program, args, { ...identity, cwd: folder, env: plainEnvironment(), encoding: 'utf8' })
}

/** @param {{ error?: Error, stderr: string | null, stdout: string | null }} ended */
function problemOf({ error, stderr, stdout }) {
  return error?.message ?? `${stderr}\n${stdout}`.trim()
}

/** Of our own variables only the path: PGPORT and the like would change what the server does. */
function plainEnvironment(more = {}) {
  /** @type {Record<string, string | undefined>} */
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC', ...more }
  return /** @type {NodeJS.ProcessEnv} */ (env)
}

/**
 * @param {{ folder: string, bin: string }} files
 * @param {Identity} identity
 * @param {string | null} password
 */
export function initialize({ folder, bin }, identity, password) {
  // Nothing of the new files has to outlive a power cut: the folder ends with this process.
  const how = ['--locale=C', '--encoding=UTF8', '--no-instructions', '--no-sync']
  const args = ['-D', join(folder, 'data'), '-U', SUPERUSER, ...how]
  if (password === null) args.push('--auth=trust')
  else {
    // On a port every user of this machine could become its administrator.
    writeFileSync(join(folder, 'password'), password, { mode: 0o644 })
    args.push('--auth-local=trust', '--auth-host=scram-sha-256', `--pwfile=${join(folder, 'password')}`)
  }
  const made = runServer(join(bin, 'initdb'), args, folder, identity)
  if (made.status !== 0) throw new SetupError(`PostgreSQL could not make its files: ${problemOf(made)}`)
}

/**
 * @param {string} folder
 * @param {{ port: number, durable: boolean, password: string | null, settings: Record<string, string> }} how
 */
export function configure(folder, { port, durable, password, settings }) {
  const lines = {
    port: String(port),
    listen_addresses: password ? '127.0.0.1' : '',
    unix_socket_directories: folder,
    max_connections: '300',
    fsync: durable ? 'on' : 'off',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    timezone: 'UTC',
    ...settings,
  }
  const text = Object.entries(lines).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
  writeFileSync(join(folder, 'data/postgresql.conf'), text.join(''), { flag: 'a' })
}

/**
 * Starts the server and waits until it takes connections.
 *
 * @param {{ folder: string, bin: string }} files
 * @param {Identity} identity
 * @param {Record<string, string | undefined>} env
 */
export async function launch(files, identity, env) {
  const deadline = performance.now() + AGAIN_WITHIN_MS
  for (;;) {
    const started = startProcess(files, identity, env)
    const problem = await readiness(files.folder, started)
    if (problem === null) return started
    await started.end('SIGKILL')
    if (!IN_USE.test(problem) || performance.now() > deadline) {
      throw new SetupError(`PostgreSQL did not start: ${problem}`)
    }
    await pause(100)
  }
}

/**
 * @param {{ folder: string, bin: string }} files
 * @param {Identity} identity
 * @param {Record<string, string | undefined>} env
 */
function startProcess({ folder, bin }, identity, env) {
  // A file: a pipe would fill up and stop the server while our thread is busy or waits for the database.
  const log = openSync(join(folder, 'server.log'), 'w')
  const child = spawn(join(bin, 'postgres'), ['-D', join(folder, 'data')], {
    ...identity,
    cwd: folder,
    env: plainEnvironment(env),
    stdio: ['ignore', log, log],
    // Ctrl-C ends us, and we end the server.
    detached: true,
  })
  closeSync(log)
  child.unref()
  /** @type {string | null} */
  let ended = null
  /** @type {Promise<void>} */
  const gone = new Promise((resolve) => {
    const settle = (/** @type {string} */ how) => {
      ended = how
      resolve()
    }
    child.once('error', (error) => settle(error.message))
    child.once('exit', (code, signal) => settle(`it ended with ${signal ?? code}`))
  })
  return {
    pid: child.pid ?? null,
    /** How it ended; null while it runs. */
    ended: () => ended,
    /** @param {NodeJS.Signals} signal */
    async end(signal) {
      if (ended !== null) return
      // Somebody who waits is not done yet.
      child.ref()
      child.kill('SIGCONT')
      child.kill(signal)
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
      await gone
      clearTimeout(timer)
    },
  }
}

/**
 * @param {string} folder
 * @param {{ pid: number | null, ended: () => string | null }} started
 * @returns {Promise<string | null>} null = it takes connections, else what it said
 */
async function readiness(folder, { pid, ended }) {
  const deadline = performance.now() + START_WITHIN_MS
  for (;;) {
    // Its file may be left from a server that was killed. The eighth line says how far it is.
    const lines = readText(join(folder, 'data/postmaster.pid')).split('\n')
    const end = ended()
    if (end === null && lines[0] === String(pid) && lines[7]?.trim() === 'ready') return null
    const late = performance.now() > deadline
    if (end !== null || late) {
      return [late ? 'it was not ready in time' : end, readText(join(folder, 'server.log')).slice(-2_000)].join('\n')
    }
    await pause(10)
  }
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** @param {string} folder */
export function watch(folder) {
  const child = spawn('sh', ['-c', WATCHER, 'sh', folder], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  child.unref()
  // Its type knows only what every stream can do.
  const { unref } = /** @type {{ unref?: () => void }} */ (child.stdin)
  unref?.call(child.stdin)
  return { dismiss: () => void child.stdin.end('done\n') }
}

/** @returns {Promise<number>} */
export async function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no free port')),
      )
    })
  })
}

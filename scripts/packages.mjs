// Brings node_modules in line with package-lock.json; takes a shortcut when it already is.
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { run } from './children.mjs'

const STAMP = 'node_modules/.fieldhook-stamp'
const NATIVE = 'better-sqlite3'
const OPEN_A_DATABASE = `new (require('${NATIVE}'))(':memory:').close()`

/**
 * `product`: what the product needs, and what builds its pages (packages/builder). `all`: also what tests and tools need.
 * @typedef {'product' | 'all'} Wanted
 * @typedef {(pid: number) => void} RecordChild
 * @typedef {{ packages: Record<string, { version?: string, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }> }} Lockfile
 */

/**
 * Whether we installed these packages for this Node on this machine.
 *
 * @param {string} root
 * @param {Wanted} wanted
 */
export function packagesAreStamped(root, wanted) {
  const found = readText(join(root, STAMP))
  return found === stampOf(root, 'all') || (wanted === 'product' && found === stampOf(root, 'product'))
}

/** Call when every package in node_modules is known to work. @param {string} root @param {Wanted} wanted */
export function stampPackages(root, wanted) {
  writeFileSync(join(root, STAMP), stampOf(root, wanted))
}

/** @param {string} root @param {Wanted} wanted */
function stampOf(root, wanted) {
  const lockfile = readFileSync(join(root, 'package-lock.json'))
  const machine = `${process.version} ${process.platform} ${process.arch} ${libcOf()}`
  return `${createHash('sha256').update(lockfile).digest('hex')} ${machine} ${wanted}\n`
}

/**
 * After a foreign install (`npm install`): whether node_modules holds the lockfile's packages for this machine. npm
 * writes its own copy of the lockfile there as the last step of an install.
 *
 * @param {Lockfile} wanted package-lock.json
 * @param {Lockfile} found node_modules/.package-lock.json
 * @param {{ platform: string, arch: string }} machine
 */
export function packagesMatch(wanted, found, machine) {
  return Object.entries(wanted.packages).every(([path, entry]) => {
    if (path === '') return true
    const there = found.packages[path]
    if (there) return there.version === entry.version
    // Only packages for exactly this system are required; npm omits optional packages for many more reasons.
    const isOurs = entry.os?.includes(machine.platform) && entry.cpu?.includes(machine.arch) && !entry.libc
    return entry.optional === true && !isOurs
  })
}

/** @param {string} root */
export function packagesAreThere(root) {
  const found = readText(join(root, 'node_modules/.package-lock.json'))
  const wanted = readText(join(root, 'package-lock.json'))
  return found !== null && wanted !== null && packagesMatch(JSON.parse(wanted), JSON.parse(found), process)
}

/**
 * Installs the packages of the lockfile, without their own scripts: none is needed. What only tests need is added to what a first
 * start has installed.
 *
 * @param {string} root @param {Wanted} wanted @param {RecordChild} recordChild
 * @returns {Promise<number>} number of packages that are there
 */
export async function installPackages(root, wanted, recordChild) {
  const some = packagesAreStamped(root, 'product')
  rmSync(join(root, STAMP), { force: true })
  const how = some
    ? ['install', '--no-save', '--include=dev']
    : ['ci', wanted === 'all' ? '--include=dev' : '--omit=dev']
  // node-version.mjs has already checked the Node version; a tool that wants a newer one must not stop a first start.
  const args = [...how, '--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund']
  await npm(root, args, recordChild, [
    'The packages could not be installed. What npm said is above; it needs to reach its registry.',
  ])
  return Object.keys(JSON.parse(readText(join(root, 'node_modules/.package-lock.json')) ?? '{"packages":{}}').packages)
    .length
}

/**
 * Checks that a database can be opened: better-sqlite3 has binaries for the common systems. Runs in a separate process,
 * because a wrong binary ends the process.
 *
 * @param {string} root
 * @throws {SetupError}
 */
export async function openADatabase(root) {
  const { code, output } = await run(process.execPath, ['-e', OPEN_A_DATABASE], { cwd: root })
  if (code === 0) return
  process.stderr.write(output)
  throw new SetupError(
    `SQLite cannot be opened on this system (${systemName()}). What Node said is above.`,
    `${NATIVE} carries binaries for Linux, macOS and Windows on x64 and arm64; elsewhere build it: npm explore ${NATIVE} -- npm run build-release`,
  )
}

/** This user's cache folder, shared by all clones; null when no folder is available. */
export function userCache() {
  const home = homeFolder()
  const base =
    process.env.XDG_CACHE_HOME || (home && join(home, process.platform === 'darwin' ? 'Library/Caches' : '.cache'))
  return base ? join(base, 'fieldhook') : null
}

/** The target of compiled code: `abi115-linux-x64-glibc2.36`. */
export function systemName() {
  return `abi${process.versions.modules}-${process.platform}-${process.arch}-${libcOf()}`
}

/** @param {string} root @param {string[]} args @param {RecordChild} recordChild @param {string[]} advice */
async function npm(root, args, recordChild, advice) {
  const { command, first } = findNpm()
  const { code, output } = await run(command, [...first, ...args, '--loglevel=error'], {
    cwd: root,
    env: npmEnvironment(root),
    onStart: recordChild,
  })
  if (code === 0) return
  process.stderr.write(output)
  throw new SetupError(
    ...(code === 127 ? ['npm was not found. It comes with Node.js; install it or put it on PATH.'] : advice),
  )
}

/** The npm that started us, else the one beside this Node, else the one on PATH. */
export function findNpm() {
  const prefix = dirname(dirname(process.execPath))
  const candidates = [
    process.env.npm_execpath ?? '',
    join(prefix, 'lib/node_modules/npm/bin/npm-cli.js'),
    join(dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js'),
  ]
  const script = candidates.find((path) => basename(path) === 'npm-cli.js' && existsSync(path))
  return script ? { command: process.execPath, first: [script] } : { command: 'npm', first: [] }
}

/** The variables npm and the compiler need, even when the environment is empty. @param {string} root */
export function npmEnvironment(root) {
  /** @type {import('./children.mjs').Environment} */
  const env = { ...process.env }
  // The packages' scripts call `node`: it must be this Node.
  env.PATH = [dirname(process.execPath), env.PATH].filter(Boolean).join(delimiter)
  if (!homeFolder()) {
    env.HOME = join(root, '.cache/home')
    mkdirSync(env.HOME, { recursive: true })
  }
  const headers = headersFolder()
  // Otherwise node-gyp downloads the headers, which fails where only a registry can be reached.
  if (headers) env.npm_package_config_node_gyp_nodedir = headers
  // A production environment would omit the packages that build the pages.
  env.NODE_ENV = undefined
  return env
}

/** The prefix of the running Node when its headers are installed with it. */
function headersFolder() {
  const prefix = dirname(dirname(process.execPath))
  const text = readText(join(prefix, 'include/node/node_version.h'))
  const [major, minor] = process.versions.node.split('.')
  const isOurs = text?.includes(`NODE_MAJOR_VERSION ${major}\n`) && text.includes(`NODE_MINOR_VERSION ${minor}\n`)
  return isOurs ? prefix : null
}

/** The user's home when it is writable. */
function homeFolder() {
  try {
    const home = homedir()
    accessSync(home, constants.W_OK)
    return home
  } catch {
    return null
  }
}

/** Binaries for glibc do not start on musl. */
export function isMusl() {
  return libcOf() === 'musl'
}

function libcOf() {
  if (process.platform !== 'linux') return 'system'
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (process.report.getReport())
  return report.header?.glibcVersionRuntime ? `glibc${report.header.glibcVersionRuntime}` : 'musl'
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** A problem that the user can fix: shown as sentences, without a stack. */
export class SetupError extends Error {
  /** @override */
  name = 'SetupError'
  /** @param {...string} sentences */
  constructor(...sentences) {
    super(sentences.join('\n'))
  }
}

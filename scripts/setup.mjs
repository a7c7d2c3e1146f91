// The prerequisites of every command: the packages, and usually the built pages. Only does what is missing.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './children.mjs'
import { withLock } from './lock.mjs'
import { LONG_WORK, LONG_WORK_SOURCE } from './long-work-file.mjs'
import { OPERATIONS, OPERATIONS_SOURCE } from './operations-file.mjs'
import {
  installPackages,
  openADatabase,
  packagesAreStamped,
  packagesAreThere,
  SetupError,
  stampPackages,
} from './packages.mjs'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

const LOCK = '.cache/setup.lock'
const BUILD_STAMP = 'build/.stamp'
const BUILD_ENTRY = 'build/server/index.js'
/** The sources of the build. */
const BUILD_FOLDERS = ['app', 'db', 'packages/sandbox', 'public']
const BUILD_FILES = ['package.json', 'package-lock.json', 'remix.config.js', 'tsconfig.json', 'vite.config.ts']
const TEST_FILE = /\.test\.tsx?$/

/**
 * Installs and builds what is missing or stale, and prints one line for each step.
 *
 * @param {{ build: boolean, packages?: import('./packages.mjs').Wanted, root?: string, say?: (line: string) => void, meanwhile?: () => Promise<unknown>, enough?: string }} options `meanwhile`
 *   only needs the packages: starts as soon as they are installed, and has ended when this resolves. `enough`: with this
 *   path there, a command goes on where its user may not write, as in the clone of another user
 * @returns {Promise<{ installed: boolean, did: string[] }>} `did` in words: "built the pages"
 */
export async function setUp({
  build,
  packages = 'all',
  root = ROOT,
  say = console.log,
  meanwhile = async () => {},
  enough,
}) {
  process.chdir(root)
  /** @type {Promise<unknown> | null} */
  let begun = null
  const beginMeanwhile = () => {
    begun ??= meanwhile()
    return begun
  }
  /** @type {{ installed: boolean, did: string[] }} */
  const result = { installed: false, did: [] }
  const isReady = () => packagesAreStamped(root, packages) && (!build || buildIsFresh(root))
  if (isReady()) {
    await beginMeanwhile()
    return result
  }

  await withLock(
    join(root, LOCK),
    async (recordChild) => {
      if (isReady()) return // The previous holder did all the work.
      const done = (/** @type {string} */ what) => result.did.push(what)
      let have = packagesAreStamped(root, 'all') ? 'all' : packages
      if (!packagesAreStamped(root, packages)) {
        if (packagesAreThere(root)) {
          have = 'all'
        } else {
          const count = await timed('Installing packages', say, () => installPackages(root, packages, recordChild))
          result.installed = true
          done(`installed ${count} packages`)
        }
        await openADatabase(root)
      }
      beginMeanwhile()
      if (build && !buildIsFresh(root)) {
        await timed('Building pages', say, () => buildPages(root, recordChild))
        done('built the pages')
      }
      stampPackages(root, have)
    },
    say,
  ).catch((error) => {
    if (!/^(EACCES|EPERM|EROFS)$/.test(error.code)) throw error
    const problem = `Nothing can be written in ${root} (${error.code})`
    if (!enough || !existsSync(enough)) throw new SetupError(`${problem}: run this as the user that owns it.`)
    say(`${problem}: going on with what was installed and built there before.`)
  })
  await beginMeanwhile()
  return result
}

/**
 * Runs a command's body; problems the user can fix are printed as sentences, and the process ends with code 1.
 *
 * @param {() => Promise<unknown>} body
 */
export async function orExplain(body) {
  try {
    return await body()
  } catch (error) {
    explain(error)
    process.exit(1)
  }
}

/** The sentences of a `SetupError`; any other error is a bug and is rethrown. @param {unknown} error */
export function explain(error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`\n${error.message}`)
}

/** @param {string} root */
function buildIsFresh(root) {
  const stamp = join(root, BUILD_STAMP)
  return existsSync(join(root, BUILD_ENTRY)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === sourcesOf(root)
}

/** @param {string} root @param {(pid: number) => void} recordChild */
async function buildPages(root, recordChild) {
  // Hashed before the build: a file that changes meanwhile makes the next start build again.
  const sources = sourcesOf(root)
  rmSync(join(root, BUILD_STAMP), { force: true })
  const cli = join(root, 'node_modules/@remix-run/dev/dist/cli.js')
  const { code, output } = await run(process.execPath, [cli, 'vite:build', '--logLevel', 'error'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production' },
    onStart: recordChild,
  })
  if (code !== 0) {
    process.stderr.write(output)
    throw new SetupError('The pages could not be built. What the build said is above.')
  }
  mkdirSync(join(root, 'build'), { recursive: true })
  const { bundleTo } = await import('./run-ts.mjs')
  await bundleTo(OPERATIONS_SOURCE, OPERATIONS)
  await bundleTo(LONG_WORK_SOURCE, fileURLToPath(LONG_WORK))
  writeFileSync(join(root, BUILD_STAMP), sources)
}

/** One hash of everything the build reads. @param {string} root */
export function sourcesOf(root) {
  const hash = createHash('sha256')
  const folders = BUILD_FOLDERS.filter((folder) => existsSync(join(root, folder)))
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && !TEST_FILE.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  for (const file of [...files.sort(), ...BUILD_FILES.map((name) => join(root, name))]) {
    if (!existsSync(file)) continue
    const content = readFileSync(file)
    hash.update(`${relative(root, file).split(sep).join('/')} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/**
 * @template T
 * @param {string} what @param {(line: string) => void} say @param {() => Promise<T>} work
 */
async function timed(what, say, work) {
  const began = performance.now()
  const seconds = () => `${((performance.now() - began) / 1000).toFixed(1)} s`
  say(`${what} …`)
  // Show progress, because a person is watching a still screen.
  const pulse = setInterval(() => say(`  … ${seconds()}`), 20_000)
  try {
    const result = await work()
    say(`${what}: done in ${seconds()}`)
    return result
  } finally {
    clearInterval(pulse)
  }
}

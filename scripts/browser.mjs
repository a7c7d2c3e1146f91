// Finds a browser for the tests in any way this machine allows, cheapest first. Alone: node scripts/browser.mjs
import { accessSync, constants, existsSync, mkdirSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { run } from './children.mjs'
import { orExplain, ROOT, setUp } from './setup.mjs'

/** No GPU, no first-run dialogs, no calls to vendors' servers. The browser tests use the same flags. */
export const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge']
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
]
const PLAYWRIGHT = join(ROOT, 'node_modules/@playwright/test/cli.js')
/** The packed Chromium unpacks into the temporary folder and reuses any files there: give it a folder of ours. */
const UNPACKED = join(ROOT, '.cache/browser')

/**
 * @typedef {{ name: string, path: string, env: Record<string, string>, version: string }} Browser `path` is empty for
 *   Playwright's own; `env` is what it needs besides the usual environment
 * @typedef {{ way: string, problem: string }} Attempt
 * @typedef {{ name: string, path: string, env?: Record<string, string> }} Candidate
 * @typedef {{ way: string, candidates: () => Promise<Candidate[] | string> }} Way a text explains why there is none
 */

/** @type {Way[]} */
const WAYS = [
  {
    way: 'E2E_BROWSER',
    candidates: async () => {
      const path = process.env.E2E_BROWSER
      return path ? [{ name: 'E2E_BROWSER', path }] : 'is not set'
    },
  },
  {
    way: "Playwright's own",
    candidates: async () => [{ name: "Playwright's own Chromium", path: '' }],
  },
  {
    way: 'Chromium or Chrome on this machine',
    candidates: async () => {
      const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
      const paths = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...PLACES].filter(canRun)
      return paths.length > 0 ? paths.map((path) => ({ name: path, path })) : `none of ${NAMES.join(', ')} on PATH`
    },
  },
  { way: '@sparticuz/chromium (comes with the packages)', candidates: packedChromium },
  {
    way: 'playwright install chromium',
    candidates: async () => {
      console.log('  downloading Chromium with Playwright …')
      const { code, output } = await run(process.execPath, [PLAYWRIGHT, 'install', 'chromium'], {
        timeoutMs: 5 * 60_000,
      })
      return code === 0 ? [{ name: "Playwright's own Chromium", path: '' }] : reasonIn(output)
    },
  },
  { way: 'apt-get install chromium', candidates: debianChromium },
]

/**
 * Tries every way until a browser opens a page.
 *
 * @param {{ ways?: Way[] }} [options]
 * @returns {Promise<{ found: Browser | null, tried: Attempt[] }>} `tried`: what did not work before it, and why
 */
export async function findBrowser({ ways = WAYS } = {}) {
  /** @type {Attempt[]} */
  const tried = []
  for (const { way, candidates } of ways) {
    const offered = await candidates().catch((error) => lastLine(String(error?.message ?? error)))
    if (typeof offered === 'string') {
      tried.push({ way, problem: offered })
      continue
    }
    for (const candidate of offered) {
      const outcome = await probe(candidate)
      if (outcome.version !== undefined) return { found: { env: {}, ...candidate, version: outcome.version }, tried }
      tried.push({ way: candidate.path ? `${way}, ${candidate.path}` : way, problem: outcome.problem })
    }
  }
  return { found: null, tried }
}

/** A browser with its flags, for a command that can do nothing without one: then the command ends, and says what was tried. */
export async function browserOrExit() {
  const { found, tried } = await findBrowser()
  if (found) return { ...found, flags: FLAGS }
  console.error(tellWhatWasTried(tried))
  process.exit(1)
}

/** @param {Attempt[]} tried */
export function tellWhatWasTried(tried) {
  return [
    'No browser works on this machine, so the browser tests cannot run. Tried, in this order:',
    ...tried.map(({ way, problem }) => `  - ${way}: ${problem}`),
    'Install Chromium or Chrome, or set E2E_BROWSER to the path of one.',
  ].join('\n')
}

/**
 * Checks that the browser reports its version, opens a page and runs a script in it.
 *
 * @param {Candidate} candidate
 * @returns {Promise<{ version: string, problem?: never } | { version?: never, problem: string }>}
 */
async function probe({ path, env = {} }) {
  if (path) {
    if (!canRun(path)) return { problem: `${path} is not a program that can be run` }
    const { code, output, timedOut } = await run(path, ['--version'], {
      env: { ...process.env, ...env },
      timeoutMs: 15_000,
    })
    if (timedOut) return { problem: '--version gave no answer within 15 s' }
    if (code !== 0) return { problem: lastLine(output) }
  }
  const { chromium } = await import('@playwright/test')
  try {
    const browser = await chromium.launch({
      ...(path ? { executablePath: path } : {}),
      args: FLAGS,
      env: { .../** @type {Record<string, string>} */ (process.env), ...env },
      timeout: 30_000,
    })
    try {
      const page = await browser.newPage()
      await page.setContent('<title>open</title>', { timeout: 15_000 })
      if ((await page.title()) !== 'open') return { problem: 'opened a page but did not show its content' }
      return { version: browser.version() }
    } finally {
      await browser.close()
    }
  } catch (error) {
    return { problem: firstLine(String(error instanceof Error ? error.message : error)) }
  }
}

/** Only the path is used. The package's flags force a single process and switch web security off. */
async function packedChromium() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'is for Linux on x64 only'
  mkdirSync(UNPACKED, { recursive: true })
  const plain = await unpack({})
  const candidates = typeof plain === 'string' ? [] : [plain]
  if (typeof plain !== 'string' && (await probe(plain)).version) return candidates
  // An earlier run unpacked only half, or the machine lacks NSS: unpack again from scratch, with the libraries that the
  // package brings for one well-known kind of host.
  rmSync(UNPACKED, { recursive: true, force: true })
  mkdirSync(UNPACKED, { recursive: true })
  const withLibraries = await unpack({ AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' })
  return typeof withLibraries === 'string' ? withLibraries : [withLibraries]
}

/**
 * Unpacks in its own process: importing the package changes the environment.
 * @param {Record<string, string>} extra @returns {Promise<Candidate | string>}
 */
async function unpack(extra) {
  const script = `const { default: chromium } = await import('@sparticuz/chromium')
const path = await chromium.executablePath()
const { LD_LIBRARY_PATH, FONTCONFIG_PATH } = process.env
console.log(JSON.stringify({ path, env: { LD_LIBRARY_PATH, FONTCONFIG_PATH } }))`
  const { code, output } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: UNPACKED, ...extra },
    timeoutMs: 60_000,
  })
  if (code !== 0) return lastLine(output)
  return { name: '@sparticuz/chromium', ...JSON.parse(lastLine(output)) }
}

async function debianChromium() {
  if (!existsSync('/usr/bin/apt-get')) return 'this machine has no apt-get'
  if (process.getuid?.() !== 0) return 'needs root: apt-get install chromium'
  console.log("  installing Debian's Chromium …")
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const { code, output } = await run('apt-get', args, { env, timeoutMs: 5 * 60_000 })
    if (code !== 0) return `apt-get ${args[0]}: ${reasonIn(output)}`
  }
  return [{ name: "Debian's Chromium", path: '/usr/bin/chromium' }]
}

/** @param {string} path */
function canRun(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1)?.trim() || 'said nothing'
}

/** The line of a long output that contains the error. @param {string} output */
function reasonIn(output) {
  return output.split('\n').find((line) => /^(error|E:|fatal)/i.test(line)) ?? lastLine(output)
}

/** @param {string} text */
function firstLine(text) {
  return text.trim().split('\n')[0]?.trim() || 'said nothing'
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await orExplain(async () => {
    await setUp({ build: false })
    const { found, tried } = await findBrowser()
    for (const { way, problem } of found ? tried : []) console.log(`not ${way}: ${problem}`)
    console.log(
      found ? `${found.name}, ${found.version}: ${found.path || '(no path needed)'}` : tellWhatWasTried(tried),
    )
    process.exitCode = found ? 0 : 1
  })
}

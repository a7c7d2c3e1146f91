// Performs the steps of the Dockerfile by hand, in separate folders, on the Node it names; then starts the result.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join, matchesGlob, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '#tests/support/free-port.ts'
import { loadPages } from '#tests/support/page-rounds.ts'
import { scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { firstDemoAccount, signIn } from '#tests/support/signed-in-server.ts'
import { ownNode } from '../../../scripts/own-node.mjs'
import { none, proofReport } from '../report/report.ts'
import { readDockerfile } from './dockerfile.ts'

const { values } = parseArgs({ options: { starts: { type: 'string' }, seconds: { type: 'string' } } })
const asked = { starts: Number(values.starts ?? 10), seconds: Number(values.seconds ?? 60) }
const { section, line, must, end } = proofReport('The image, by hand', asked, { name: 'image', script: 'prove:image' })
const { node: wanted, stages } = readDockerfile(readFileSync('Dockerfile', 'utf8'))
const [building, shipping] = stages
if (!building || !shipping) throw new Error('the Dockerfile has two stages')

const folder = mkdtempSync(join(tmpdir(), 'fieldhook-image-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const [built, app] = [join(folder, 'build'), join(folder, 'app')]

section('The steps')
const node = process.version === `v${wanted}` ? process.execPath : await ownNode(console.log)
const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
line('Node of the image', version, { bar: `v${wanted}`, met: version === `v${wanted}` })
must(version === `v${wanted}`, `the Dockerfile names Node ${wanted}, and this is ${version}`)
// As in a person's shell: npm needs its registry settings, and the development packages build the pages.
const env = {
  ...process.env,
  NODE_ENV: 'development' as const,
  PATH: [dirname(node), process.env.PATH].join(delimiter),
}
copyContext(built)
for (const command of building.runs) {
  const began = performance.now()
  execFileSync('sh', ['-ec', command], { cwd: built, env, stdio: ['ignore', 'ignore', 'inherit'] })
  line(
    command.length > 57 ? `${command.slice(0, command.lastIndexOf(' ', 55))} …` : command,
    `${((performance.now() - began) / 1000).toFixed(1)} s`,
  )
}
for (const { from, to } of shipping.copies) {
  // Like COPY: into a folder when the target ends with a slash, otherwise under exactly that name.
  const target = to.endsWith('/') ? join(to, basename(from)) : to
  cpSync(join(built, from), join(app, target), { recursive: true })
}
const megabytes = Number(execFileSync('du', ['-sm', app], { encoding: 'utf8' }).split('\t')[0])
line('what is copied into the image', `${megabytes} MB`)

section('Starts')
let failed = 0
for (let start = 1; start <= asked.starts; start++) {
  const last = start === asked.starts
  try {
    const { pages, events } = await oneStart(last ? asked.seconds * 1000 : 0, last)
    if (last) line('pages loaded and events accepted under garbage collection', `${pages} and ${events}`)
  } catch (error) {
    failed++
    must(false, `start ${start}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
line('starts that ended or refused a page', `${failed} of ${asked.starts}`, none(failed))
end()

/** The context of `docker build`: the project's files without those of .dockerignore. */
function copyContext(to: string): void {
  const ignored = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((entry) => entry !== '' && !entry.startsWith('#'))
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n')
  const kept = files.filter(
    (file) => !ignored.some((entry) => matchesGlob(file, entry) || matchesGlob(file, `${entry}/**`)),
  )
  for (const file of kept) {
    mkdirSync(dirname(join(to, file)), { recursive: true })
    cpSync(resolve(file), join(to, file))
  }
}

/** One start like the image's CMD, in sandbox mode; loads every page at least once. Rejects if an answer is missing. */
async function oneStart(milliseconds: number, disturbed: boolean): Promise<{ pages: number; events: number }> {
  const port = await freePort()
  const data = mkdtempSync(join(folder, 'data-'))
  const disturb = disturbed ? ['--expose-gc', '--import', resolve('packages/lab/image/preload.mjs')] : []
  const [, ...command] = shipping?.command ?? []
  const child: ChildProcess = spawn(node, [...disturb, ...command], {
    cwd: app,
    env: {
      NODE_ENV: 'production',
      ...shipping?.env,
      PATH: env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      PLATFORM: 'sandbox',
      // One account uses the whole budget.
      ACCOUNT_WORK_MS: '0',
      ACCOUNTS_WORK_MS: '0',
      DATABASE_URL: `file:${join(data, 'fieldhook.db')}`,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk))
  try {
    const origin = `http://localhost:${port}`
    await ready(child, origin, () => printed)
    const browser = scriptlessBrowser(origin)
    const accountUUID = await firstDemoAccount(browser)
    await signIn(browser, accountUUID)
    const loaded = await loadPages(browser, accountUUID, milliseconds)
    child.kill('SIGTERM')
    const code = await new Promise((done) => child.once('exit', done))
    if (code !== 0) throw new Error(`it ended with ${code}:\n${printed}`)
    return loaded
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${printed.slice(-2_000)}`)
  } finally {
    child.kill('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  }
}

async function ready(child: ChildProcess, origin: string, printed: () => string): Promise<void> {
  const deadline = performance.now() + 30_000
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended while starting:\n${printed()}`)
    const answer = await fetch(`${origin}/readyz`).catch(() => null)
    if (answer?.status === 200) return
    if (performance.now() > deadline) throw new Error('it does not become ready')
    await new Promise((next) => setTimeout(next, 50))
  }
}

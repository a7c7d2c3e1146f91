// Server time for the webhook manager of an account with 11 webhooks and 100,000 stored events, compared with an empty
// account on the same server. Speed is not a test: a missed bar is reported, and the exit code is still 0.
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { OBJECT_KINDS } from '#app/domain/object-catalog.ts'
import { type ScriptlessBrowser, scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { type ServerProcess, startServerProcess } from '#tests/support/server-process.ts'
import { signIn } from '#tests/support/signed-in-server.ts'
import { commandLine, recordFigures } from '../report/figures.ts'
import { keepFigures } from '../report/kept-figures.ts'
import { describeMachine } from '../report/machine.server.ts'
import { fillAccount } from './fill-account.ts'
import { cpuMs } from './processes.ts'

/** From the issue: the maximum difference to an empty account. */
const BAR_MS = 50

const { figures, group, keep } = keepFigures()

interface Settings {
  events: number
  rounds: number
}

const USAGE = `Usage: npm run bench:manager -- [--events 100000] [--rounds 100]
  --events  how many the busy account has stored
  --rounds  how often each page is asked for`

class UsageError extends Error {
  readonly code = 'usage'
}

function readSettings(args: string[]): Settings {
  const settings: Settings = { events: 100_000, rounds: 100 }
  const rest = [...args]
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const number = Number(rest.shift())
    if (!Number.isSafeInteger(number) || number < 1) throw new UsageError(`${name} wants a whole number.`)
    if (name === '--events') settings.events = number
    else if (name === '--rounds') settings.rounds = number
    else throw new UsageError(`"${name}" is not an option.`)
  }
  return settings
}

/** Runs what `args` request. Returns the exit code: 0 whatever the figures, 1 when it could not run. */
export async function benchManager(args: string[]): Promise<number> {
  let server: ServerProcess | null = null
  try {
    const settings = readSettings(args)
    // One reader loads pages without a pause.
    server = await startServerProcess({
      REQUESTS_PER_MINUTE: '1000000',
      CALLER_WORK_MS: '0',
      ACCOUNT_WORK_MS: '0',
      ACCOUNTS_WORK_MS: '0',
    })
    await run(server, settings)
    recordFigures('bench-manager', {
      command: commandLine('bench:manager', { ...settings }),
      figures,
      faults: [],
    })
    return 0
  } catch (error) {
    console.error(error instanceof UsageError ? `${error.message}\n${USAGE}` : error)
    return 1
  } finally {
    await server?.dispose()
  }
}

async function run(server: ServerProcess, { events, rounds }: Settings): Promise<void> {
  console.log(
    `The webhook manager, rendered on the server\n${describeMachine()}\nload average at the start: ${loads()}`,
  )
  const [busy, idle] = await twoAccounts(server)
  const webhooks = await createWebhooks(server, busy)
  const began = performance.now()
  fillAccount({ file: join(server.folder, 'fieldhook.db'), accountUuid: busy.accountUUID, events, now: Date.now() })
  console.log(
    `  ${webhooks} webhooks and ${count(events)} events with deliveries and attempts, stored in ${((performance.now() - began) / 1000).toFixed(1)} s.`,
  )
  console.log(
    `  Each page ${rounds} times, busy and empty in turn, whole answers over loopback, after ${WARM_UP} to warm up.`,
  )

  // The server has closed idle connections by now: give the client a moment to notice.
  await pause(200)

  const busyPage = `/fieldhook?accountUUID=${busy.accountUUID}`
  const [withAll, withNone] = await inTurn(server.pid, rounds, [
    () => fetchPage(busy.browser, busyPage),
    () => fetchPage(idle.browser, `/fieldhook?accountUUID=${idle.accountUUID}`),
  ])
  title(`${'Manager page'.padEnd(50)}        p50        p95        max   processor`)
  row(`${webhooks} webhooks, ${count(events)} events`, withAll)
  row('no webhook, no event', withNone)
  const difference = withAll.p50 - withNone.p50
  row2('difference of the medians', `${ms(difference)}, ratio ${(withAll.p50 / withNone.p50).toFixed(2)}`)
  if (withAll.cpu !== null && withNone.cpu !== null) {
    row2('difference in processor time of the server', ms(withAll.cpu - withNone.cpu))
  }

  title('For comparison, the same busy account')
  const search = `/deliveries?accountUUID=${busy.accountUUID}`
  const none = '&record=00000000-0000-4000-8000-000000000000'
  const others = await inTurn(server.pid, Math.max(5, Math.ceil(rounds / 5)), [
    () => fetchPage(busy.browser, `${busyPage}&log=1&limit=50&timeRange=all&forwardingStatus=all&hasDetails=true`),
    () => fetchPage(busy.browser, search),
    () => fetchPage(busy.browser, `${search}${none}`),
    () => fetchPage(busy.browser, `${search}${none}&code=5xx`),
  ])
  const names = [
    'manager with a log of 50 open',
    'search, newest 50',
    'search, nothing found',
    'search by code, nothing found',
  ]
  for (const [index, name] of names.entries()) row(name, others[index])

  title('Verdict')
  console.log(verdictOf(withAll, withNone))
  console.log(`\nload average at the end: ${loads()}`)
}

/** By wall-clock time; on a busy machine, where that includes the neighbours, by processor time. */
function verdictOf(withAll: Spread, withNone: Spread): string {
  const disturbed = (loadavg()[0] ?? 0) > cpus().length
  const byProcessor = disturbed && withAll.cpu !== null && withNone.cpu !== null
  const more = byProcessor ? (withAll.cpu ?? 0) - (withNone.cpu ?? 0) : withAll.p50 - withNone.p50
  const how = byProcessor ? 'of processor time more' : 'more'
  keep('manager page of the busy account', `${ms(more)} ${how}`, {
    bar: `under ${BAR_MS} ms more`,
    met: more < BAR_MS,
  })
  const line = `  ${more < BAR_MS ? 'reached' : 'MISSED '}  manager page of the busy account: ${ms(more)} ${how}; bar under ${BAR_MS} ms more`
  if (!disturbed) return line
  return `${line}\n  Disturbed: more programs wanted to run than there are cores. Repeat it on a quiet machine.`
}

interface SignedIn {
  browser: ScriptlessBrowser
  accountUUID: string
}

/** The two demo firms, each signed in through the real pages. */
async function twoAccounts(server: ServerProcess): Promise<[SignedIn, SignedIn]> {
  const stage = await scriptlessBrowser(server.origin).get('/sandbox')
  const ids = [
    ...new Set([...stage.text.matchAll(/\/fieldhook\?accountUUID=([0-9a-f-]{36})/g)].map((match) => match[1])),
  ]
  const [first, second] = await Promise.all(
    ids.slice(0, 2).map(async (accountUUID = '') => {
      const browser = scriptlessBrowser(server.origin)
      const back = await signIn(browser, accountUUID)
      if (back.status !== 200) throw new Error(`sign-in ended with ${back.status} at ${back.url}`)
      return { browser, accountUUID }
    }),
  )
  if (!first || !second) throw new Error('the console does not show two firms')
  return [first, second]
}

/** Creates one webhook for every object. Returns how many. */
async function createWebhooks(server: ServerProcess, { browser, accountUUID }: SignedIn): Promise<number> {
  let made = 0
  for (const { type } of OBJECT_KINDS) {
    const callback_url = `${server.origin}/sandbox/receiver/${type}`
    const body = { callback_url, object: type, fields: '', active: true, accountUUID }
    const { status, body: answer } = await browser.json('POST', '/api/webhooks', body)
    if (status === 201) made++
    else console.log(`  no webhook for ${type}: ${status} ${JSON.stringify(answer).slice(0, 200)}`)
  }
  return made
}

async function fetchPage(browser: ScriptlessBrowser, path: string): Promise<void> {
  const { status, url } = await browser.get(path)
  if (status !== 200) throw new Error(`${status} at ${url}`)
}

interface Spread {
  p50: number
  p95: number
  max: number
  /** Mean processor time of the server, ms: other programs hardly affect it. Null where the system has no figure. */
  cpu: number | null
}

const WARM_UP = 20

/** Every page once per round, so that all of them have the same neighbours. */
async function inTurn<Pages extends (() => Promise<void>)[]>(
  pid: number,
  rounds: number,
  pages: [...Pages],
): Promise<{ [Page in keyof Pages]: Spread }> {
  const found = pages.map((page) => ({ page, times: [] as number[], cpu: 0 }))
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const one of found) {
      const usedBefore = cpuMs(pid)
      const began = performance.now()
      await one.page()
      if (round < 0) continue
      one.times.push(performance.now() - began)
      // Counted in ticks of 10 ms: too coarse for one page, right on average.
      one.cpu += usedBefore === null ? Number.NaN : (cpuMs(pid) ?? Number.NaN) - usedBefore
    }
  }
  return found.map(({ times, cpu }) => spreadOf(times, cpu / rounds)) as { [Page in keyof Pages]: Spread }
}

function spreadOf(times: number[], cpu: number): Spread {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95), max: at(1), cpu: Number.isNaN(cpu) ? null : cpu }
}

function title(text: string): void {
  group(text.trim().split(/ {3,}/)[0] ?? text)
  console.log(`\n${text}`)
}
function row(label: string, spread: Spread | undefined): void {
  if (!spread) return
  const { p50, p95, max, cpu } = spread
  keep(`${label}, p50 / p95 / max`, [p50, p95, max].map(ms).join(' / '))
  print(
    label,
    `${[p50, p95, max].map((one) => ms(one).padStart(11)).join('')}${(cpu === null ? '–' : ms(cpu)).padStart(12)}`,
  )
}
function row2(label: string, value: string): void {
  keep(label, value)
  print(label, value)
}
function print(label: string, value: string): void {
  console.log(`  ${label.padEnd(48)}${value}`)
}
function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}
function count(value: number): string {
  return value.toLocaleString('en-AU')
}
function loads(): string {
  return loadavg()
    .map((one) => one.toFixed(2))
    .join(' ')
}

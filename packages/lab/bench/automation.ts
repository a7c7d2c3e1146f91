// Prints the time from an event to its rules' effects, the effect of one account's burst on the others, and the number
// of platform calls. Speed is not a test: a missed bar is reported, and the exit code is still 0.
import { loadavg } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { commandLine, recordFigures } from '../report/figures.ts'
import { keepFigures } from '../report/kept-figures.ts'
import { describeMachine } from '../report/machine.server.ts'
import { createChance } from '../stage/chance.ts'
import { type ChangeKind, changeOf, expectedOf, MIX, RULES } from './automation-rules.ts'
import { openStage, type Stage } from './automation-stage.ts'
import { type Spread, spreadOf } from './wire.ts'

const ACCOUNTS = 100
const PER_SECOND = 10
const BURST = 500
/** Out of 100 events: second changes of the job changed just before, which are evaluated together with it. */
const FOLLOW_UPS = 20
const WARM_UP_SECONDS = 15
const GAP_SECONDS = 5
/** How long to wait for the other accounts' last effects. */
const LAST_MS = 60_000
const MINUTE = 60_000

const { figures, group, keep } = keepFigures()

const BARS = { p50: 5_000, atOnce: 300, p99: 30_000, fairness: 2, callsAMinute: 180, callsOfARun: 6 }

interface Settings {
  seconds: number
  seed: number
  atOnce: boolean
}

const USAGE = `Usage: npm run bench:automation -- [--quick] [--seed 1] [--at-once]
  --quick    ten seconds of each load instead of a minute
  --seed     which accounts, changes and answer times
  --at-once  the rules do not wait for more changes`

class UsageError extends Error {
  readonly code = 'usage'
}

function readSettings(args: string[]): Settings {
  const settings: Settings = { seconds: 60, seed: 1, atOnce: false }
  const rest = [...args]
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '--quick') settings.seconds = 10
    else if (name === '--at-once') settings.atOnce = true
    else if (name === '--seed') settings.seed = Number(rest.shift())
    else throw new UsageError(`"${name}" is not an option.`)
  }
  if (!Number.isSafeInteger(settings.seed)) throw new UsageError('--seed wants a whole number.')
  return settings
}

/** Runs what `args` request. Returns the exit code: 0 whatever the figures, 1 when it could not run. */
export async function benchAutomation(args: string[]): Promise<number> {
  try {
    const settings = readSettings(args)
    await run(settings)
    const { seconds, seed, atOnce } = settings
    recordFigures(atOnce ? 'bench-at-once' : 'bench-automation', {
      command: commandLine('bench:automation', { quick: seconds < 60, seed, 'at-once': atOnce }),
      figures,
      faults: [],
    })
    return 0
  } catch (error) {
    console.error(error instanceof UsageError ? `${error.message}\n${USAGE}` : error)
    return 1
  }
}

type Phase = 'warm_up' | 'quiet' | 'gap' | 'burst'

interface Told {
  account: string
  job: string
  at: number
  phase: Phase
  expected: string[]
}

async function run({ seconds, seed, atOnce }: Settings): Promise<void> {
  console.log(`From an event to what rules do\n${describeMachine()}\nload average at the start: ${loads()}`)
  const plan = planAccounts(seconds)
  const stage = await openStage(plan, seed, atOnce)
  const lag = monitorEventLoopDelay({ resolution: 10 })
  // A server has its listener; here nothing else keeps the process alive while only the engines' timers are left, until
  // they are done.
  const alive = setInterval(() => {}, MINUTE)
  try {
    note(`${ACCOUNTS} accounts with ${RULES.length} rules each; ${PER_SECOND} events/s; answers after 60 to 150 ms.`)
    note(
      'One process, as the server: its own database file (synced before each answer), its own clock; the platform in memory.',
    )
    note('What rules write comes back as events beside these. The load, too, is made by this process.')
    const [bursting, counted] = [nameOf(0), nameOf(ACCOUNTS)]
    const told: Told[] = []
    const load = createLoad(stage, plan, told, seed)
    await load.run('warm_up', WARM_UP_SECONDS)
    const ofRun = await callsOfRun(stage, plan, counted)
    const cpu = process.cpuUsage()
    const begun = performance.now()
    lag.enable()
    await load.run('quiet', seconds)
    const quietLag = lag.percentile(99) / 1e6
    await load.run('gap', GAP_SECONDS)
    const burst = load.burst(bursting)
    await load.run('burst', seconds)
    await burst
    const { user, system } = process.cpuUsage(cpu)
    const busy = (user + system) / 1_000 / (performance.now() - begun)
    await others(stage, told, bursting)
    report({ stage, told, bursting, ofRun, quietLag, busy, atOnce })
  } finally {
    lag.disable()
    await stage.close()
    clearInterval(alive)
  }
}

const nameOf = (number: number) => `0000be4c-0000-4000-8000-${number.toString(16).padStart(12, '0')}`

/** Jobs of each account, plus an otherwise idle account for counting calls. */
function planAccounts(seconds: number): Map<string, string[]> {
  const each = 20 + Math.ceil(seconds / 2)
  const plan = new Map<string, string[]>()
  for (let number = 0; number <= ACCOUNTS; number += 1) {
    const jobs = number === 0 ? each + BURST : each
    const uuid = (index: number) =>
      `e${number.toString(16).padStart(7, '0')}-0000-4000-8000-${index.toString(16).padStart(12, '0')}`
    plan.set(
      nameOf(number),
      Array.from({ length: jobs }, (_, index) => uuid(index)),
    )
  }
  return plan
}

/** Every change is of a job that was not changed before, except that some have a second change a moment later. */
function createLoad(stage: Stage, plan: ReadonlyMap<string, string[]>, told: Told[], seed: number) {
  const chance = createChance(seed, 'events')
  const fresh = new Map([...plan].map(([account, jobs]) => [account, [...jobs]]))
  const names = [...plan.keys()].slice(0, ACCOUNTS)
  let marks = 0
  let last: { account: string; job: string } | null = null

  function tell(account: string, kind: ChangeKind, phase: Phase): Promise<void> {
    const job = fresh.get(account)?.shift()
    if (job === undefined) throw new Error('an account has no job left that was not changed yet')
    marks += 1
    const mark = `e${marks}`
    last = { account, job }
    told.push({ account, job, at: Date.now(), phase, expected: expectedOf(kind, mark) })
    return stage.change(account, job, changeOf(kind, mark))
  }

  return {
    /** Sends at a fixed rate, whatever happens. */
    async run(phase: Phase, seconds: number): Promise<void> {
      const began = performance.now()
      const under: Promise<void>[] = []
      for (let sent = 0; sent < seconds * PER_SECOND; sent += 1) {
        await pause(Math.max(0, began + (sent * 1_000) / PER_SECOND - performance.now()))
        if (last && chance.hit(FOLLOW_UPS / 100)) {
          under.push(stage.change(last.account, last.job, { job_description: `Replace boiler, ${phase} ${sent}` }))
          last = null
        } else under.push(tell(chance.pick(names), chance.weighted(MIX), phase))
      }
      await Promise.all(under)
    },
    async burst(account: string): Promise<void> {
      await Promise.all(Array.from({ length: BURST }, () => tell(account, chance.weighted(MIX), 'burst')))
    },
  }
}

/** The calls for an event whose rule sets a field and sends a text, when the job's related records were read before. */
async function callsOfRun(stage: Stage, plan: ReadonlyMap<string, string[]>, account: string): Promise<string[]> {
  const job = plan.get(account)?.[0] ?? ''
  // After a start the lists of all accounts are compared once; this hourly call does not belong to the run.
  while (!stage.calls.some((call) => call.account === account && call.verb === 'list' && call.object === 'job')) {
    await pause(250)
  }
  await stage.change(account, job, changeOf('text', 'before'))
  if (!(await stage.quiet(account, MINUTE))) throw new Error('the first run of the account did not end')
  const before = stage.calls.filter((call) => call.account === account).length
  await stage.change(account, job, changeOf('both', 'counted'))
  if (!(await stage.quiet(account, MINUTE))) throw new Error('the run whose calls are counted did not end')
  const reached = new Set(stage.reached.filter((one) => one.account === account).map((one) => one.what))
  if (!expectedOf('both', 'counted').every((what) => reached.has(what))) {
    throw new Error('the run whose calls are counted did not do its two actions')
  }
  return stage.calls
    .filter((call) => call.account === account)
    .slice(before)
    .map(({ verb, object }) => (verb === 'sms' ? 'text' : `${verb} ${object}`))
}

/** The bursting account is still busy when the others are done: its share of calls allows no more. */
async function others(stage: Stage, told: readonly Told[], bursting: string): Promise<void> {
  const mine = told.filter((one) => one.account !== bursting)
  for (const until = Date.now() + LAST_MS; Date.now() < until; await pause(250)) {
    const known = firstReached(stage)
    if (mine.every((one) => one.expected.every((what) => known.has(`${one.account} ${what}`)))) return
  }
}

function firstReached({ reached }: Stage): Map<string, number> {
  const first = new Map<string, number>()
  for (const { account, what, at } of reached) {
    const key = `${account} ${what}`
    if (!first.has(key)) first.set(key, at)
  }
  return first
}

interface Outcome {
  stage: Stage
  told: readonly Told[]
  bursting: string
  ofRun: string[]
  quietLag: number
  busy: number
  atOnce: boolean
}

function report({ stage, told, bursting, ofRun, quietLag, busy, atOnce }: Outcome): void {
  const reached = firstReached(stage)
  const acting = told.filter((one) => one.expected.length > 0)
  const delayOf = (one: Told) => {
    const moments = one.expected.flatMap((what) => reached.get(`${one.account} ${what}`) ?? [])
    return moments.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...moments) - one.at
  }
  const spread = (list: readonly Told[]) => spreadOf(list.map(delayOf))
  const quiet = acting.filter((one) => one.phase === 'quiet')
  const quietOthers = quiet.filter((one) => one.account !== bursting)
  const burstOthers = acting.filter((one) => one.phase === 'burst' && one.account !== bursting)
  const burstOwn = acting.filter((one) => one.phase === 'burst' && one.account === bursting)

  title('From the event to the first action at the platform; p50 / p99 / max')
  line(`quiet, ${quiet.length} events that rules act on`, times(spread(quiet)))
  line('  until it was looked at and the run began to wait', times(stagesOf(stage, quiet, 'look')))
  line('  until the run was taken up', times(stagesOf(stage, quiet, 'begin')))
  line(`quiet, the ${ACCOUNTS - 1} others, ${quietOthers.length} events`, times(spread(quietOthers)))
  line(`under the burst, the others, ${burstOthers.length} events`, times(spread(burstOthers)))
  const done = burstOwn.filter((one) => Number.isFinite(delayOf(one)))
  line(`the bursting account, ${done.length} of ${burstOwn.length} so far`, times(spread(done)))
  const { records, runs, held } = stage.left(bursting)
  line('the bursting account, still waiting', `${records} records, ${runs} runs; ${held} runs held for a person`)
  line('turn of the event loop, p99, quiet', ms(quietLag))
  line('processor time, of one core', `${(busy * 100).toFixed(0)} %`)

  title('Calls to the platform')
  const most = new Map([...byAccount(stage)].map(([account, at]) => [account, mostInAMinute(at)]))
  const mostOthers = Math.max(...[...most].map(([account, count]) => (account === bursting ? 0 : count)))
  line('most in any 60 s, the bursting account', String(most.get(bursting) ?? 0))
  line('most in any 60 s, any other account', String(mostOthers))
  line('of an event with a two-action run, warm cache', `${ofRun.length}: ${ofRun.join(', ')}`)

  const wanted = new Set(told.flatMap((one) => one.expected.map((what) => `${one.account} ${what}`)))
  const counts = new Map<string, number>()
  for (const { account, what } of stage.reached) {
    counts.set(`${account} ${what}`, (counts.get(`${account} ${what}`) ?? 0) + 1)
  }
  const repeated = [...counts.values()].reduce((sum, count) => sum + count - 1, 0)
  const unwanted = [...counts.keys()].filter((key) => !wanted.has(key) && !key.startsWith(nameOf(ACCOUNTS))).length
  const missing = acting.filter((one) => one.expected.some((what) => !reached.has(`${one.account} ${what}`)))
  const lost = missing.filter((one) => !stage.waits(one.account, one.job))
  title('What was done')
  line('events told, and what rules had to do about them', `${told.length}, ${wanted.size}`)
  line('done / done twice / not wanted', `${counts.size} / ${repeated} / ${unwanted}`)
  line('events not yet acted on: waiting / lost', `${missing.length - lost.length} / ${lost.length}`)
  for (const [message, count] of stage.complaints) line('complaint', `${count} × ${message}`)

  const all = spread(quiet)
  const [others, under] = [spread(quietOthers).p99, spread(burstOthers).p99]
  const ratio = under / others
  const highest = Math.max(...most.values())
  const wrong = lost.length + repeated + unwanted
  title('Verdicts')
  const bar = atOnce ? BARS.atOnce : BARS.p50
  verdict('event to first action, p50', ms(all.p50), `under ${bar} ms`, all.p50 < bar)
  verdict('event to first action, p99', ms(all.p99), 'under 30 s', all.p99 < BARS.p99)
  verdict("the others' p99 under a burst, to their quiet p99", ratio.toFixed(2), 'under 2', ratio < BARS.fairness)
  verdict('most calls of an account in any 60 s', String(highest), 'at most 180', highest <= BARS.callsAMinute)
  verdict('calls of a two-action run', String(ofRun.length), 'at most 6', ofRun.length <= BARS.callsOfARun)
  verdict('lost, repeated or not wanted', String(wrong), '0', wrong === 0)
  console.log(`\nload average at the end: ${loads()}`)
}

/** Where the time went: from the event to the run's row, and from there to its first step. */
function stagesOf(stage: Stage, list: readonly Told[], part: 'look' | 'begin'): Spread {
  return spreadOf(
    list.flatMap(({ account, job, at }) => {
      const [first] = stage.runsOn(account, job)
      if (!first) return []
      return part === 'look' ? first.createdAt - at : (first.startedAt ?? Number.POSITIVE_INFINITY) - first.createdAt
    }),
  )
}

function byAccount({ calls }: Stage): Map<string, number[]> {
  const moments = new Map<string, number[]>()
  for (const { account, at } of calls) {
    const list = moments.get(account)
    if (list) list.push(at)
    else moments.set(account, [at])
  }
  return moments
}

/** `moments` must be sorted. */
function mostInAMinute(moments: readonly number[]): number {
  let most = 0
  let from = 0
  for (const [index, at] of moments.entries()) {
    while ((moments[from] ?? at) <= at - MINUTE) from += 1
    most = Math.max(most, index - from + 1)
  }
  return most
}

function verdict(name: string, found: string, bar: string, reached: boolean): void {
  keep(name, found, { bar, met: reached })
  console.log(`  ${reached ? 'reached' : 'MISSED '}  ${name}: ${found}; bar ${bar}`)
}
function title(text: string): void {
  group(text)
  console.log(`\n${text}`)
}
function note(text: string): void {
  console.log(`  ${text}`)
}
function line(label: string, value: string): void {
  keep(label, value)
  console.log(`  ${label.padEnd(58)}${value}`)
}
function ms(value: number): string {
  return value < 1_000 ? `${value.toFixed(0)} ms` : `${(value / 1_000).toFixed(2)} s`
}
function times({ p50, p99, max }: Spread): string {
  return `${ms(p50)} / ${ms(p99)} / ${ms(max)}`
}
function loads(): string {
  return loadavg()
    .map((one) => one.toFixed(2))
    .join(' ')
}

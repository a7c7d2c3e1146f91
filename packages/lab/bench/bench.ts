// Prints the product's speed compared with a bare handler that does the minimum of the same work, in the same run on
// the same machine. Speed is not a test: a missed bar is reported, and the exit code is still 0.
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { commandLine, recordFigures } from '../report/figures.ts'
import { keepFigures } from '../report/kept-figures.ts'
import { describeMachine } from '../report/machine.server.ts'
import { killAll } from './processes.ts'
import {
  type Compared,
  ingressTrial,
  type Measured,
  type Programs,
  type Stage,
  type SteadyMeasured,
  steadyTrial,
  throughTrial,
} from './trials.ts'
import type { Spread } from './wire.ts'

const ADDRESSES = 200
const STEADY_PER_SECOND = 300
const SLOTS = 64
const LONG_SOAK_SECONDS = 300
/** Percent of one core: above this share used by others, two cores are no longer two. */
const DISTURBED_PERCENT = 25

const { figures, group, keep } = keepFigures()

interface Settings {
  quick: boolean
  soakSeconds: number
  only: string[]
  profile: string | null
}

const USAGE = `Usage: npm run bench -- [--quick] [--soak 10m] [--only ingress,through,steady] [--profile folder]
  --quick    about 30 s, less exact
  --soak     how long the steady stream runs: 90s, 10m (default 60s)
  --only     some of the trials
  --profile  writes .cpuprofile files of the server there`

function readSettings(args: string[]): Settings {
  const settings: Settings = { quick: false, soakSeconds: 0, only: ['ingress', 'through', 'steady'], profile: null }
  const rest = [...args]
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '--quick') settings.quick = true
    else if (name === '--soak') settings.soakSeconds = readDuration(rest.shift())
    else if (name === '--only') settings.only = (rest.shift() ?? '').split(',')
    else if (name === '--profile') settings.profile = resolve(rest.shift() ?? '.')
    else throw new UsageError(`"${name}" is not an option.`)
  }
  settings.soakSeconds ||= settings.quick ? 5 : 60
  return settings
}

class UsageError extends Error {
  readonly code = 'usage'
}

function readDuration(text = ''): number {
  const [, number, unit] = /^(\d+)([sm])$/.exec(text) ?? []
  if (!number) throw new UsageError(`--soak wants a time such as 90s or 10m, not "${text}".`)
  return Number(number) * (unit === 'm' ? 60 : 1)
}

/** Runs what `args` request. Returns the exit code: 0 whatever the figures, 1 when it could not run. */
export async function bench(programs: Programs, args: string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-bench-'))
  process.once('SIGINT', () => process.exit(130))
  process.once('exit', () => {
    killAll()
    rmSync(folder, { recursive: true, force: true })
  })
  try {
    const settings = readSettings(args)
    const encKeys = `bench:${randomBytes(32).toString('base64')}`
    const { profile } = settings
    if (profile) mkdirSync(profile, { recursive: true })
    let most = 0
    const stage: Stage = {
      programs,
      folder,
      encKeys,
      addresses: ADDRESSES,
      profile,
      say: console.log,
      noteOthers: (share) => {
        most = Math.max(most, share)
      },
    }
    await runTrials(stage, settings, () => most)
    recordFigures('bench', {
      command: commandLine('bench', {
        quick: settings.quick,
        soak: `${settings.soakSeconds}s`,
        only: settings.only.join(','),
      }),
      figures,
      faults: [],
      notes: most > DISTURBED_PERCENT ? [`Other programs took up to ${percent(most)} of one core during a trial.`] : [],
    })
    return 0
  } catch (error) {
    console.error(error instanceof UsageError ? `${error.message}\n${USAGE}` : error)
    return 1
  }
}

async function runTrials(
  stage: Stage,
  { quick, soakSeconds, only }: Settings,
  mostOthers: () => number,
): Promise<void> {
  console.log(`How fast it is\n${describeMachine()}\nload average at the start: ${loads()}`)
  console.log('Server, load and receivers are processes of this machine and share its cores.')
  const verdicts: string[] = []

  if (only.includes('ingress')) {
    const connections = 50
    const seconds = quick ? 2 : 5
    const rounds = quick ? 1 : 3
    title('Taking in, as fast as it is answered')
    note(`${connections} connections, ${ADDRESSES} accounts in turn, one event of about 300 bytes per request.`)
    note(
      'Both write event, body and a delivery that waits, grouped per turn of the event loop, on disk before the answer.',
    )
    note('The product also finds the account by its token, checks for repeats, picks endpoints, and keeps counters.')
    const found = await ingressTrial(stage, { rounds, connections, seconds, warmUpSeconds: quick ? 1 : 2 })
    tableOf(found)
    verdicts.push(ratioVerdict('taking in, beside the bare handler', found, 0.6))
  }

  if (only.includes('through')) {
    const seconds = quick ? Number(process.env.SECS ?? 4) : 15
    const rounds = quick ? 1 : 3
    const window = 512
    title(`All the way: in, stored, forwarded to ${ADDRESSES} addresses`)
    note(`At most ${window} events between load and receivers; ${SLOTS} forwards at once; ${seconds} s.`)
    note(
      'Bare: the same grouped insert, then undici. It does not sign, wait for turns, or write down what became of it.',
    )
    const found = await throughTrial(stage, {
      rounds,
      window,
      connections: 64,
      slots: SLOTS,
      seconds,
      warmUpSeconds: quick ? (process.env.SECS ? 3 : 1) : 3,
    })
    tableOf(found)
    const left = found.product.map(
      ({ result }) => `${result.left} under way at the end, gone after ${ms(result.leftMs)}`,
    )
    note(`Product, per round: ${left.join('; ')}.`)
    const { rows, arrived } = found
    note(
      `Afterwards: ${rows.events} events stored, ${rows.delivered} delivered, ${rows.waiting} waiting, ${arrived} arrived.`,
    )
    const perSecond = median(found.product.map((one) => one.perSecond))
    verdicts.push(
      verdict('all the way, events/s', perSecond.toFixed(0), '2000 or more', perSecond >= 2_000),
      ratioVerdict('all the way, beside the bare loop', found, 0.6),
      verdict(
        'all the way, left over',
        String(rows.waiting),
        '0',
        rows.waiting === 0 && rows.delivered === rows.events,
      ),
    )
  }

  if (only.includes('steady')) {
    title(`${STEADY_PER_SECOND} events/s for ${soakSeconds} s, forwarded to ${ADDRESSES} addresses`)
    const found = await steadyTrial(stage, {
      perSecond: STEADY_PER_SECOND,
      seconds: soakSeconds,
      warmUpSeconds: quick ? 1 : 5,
    })
    verdicts.push(...steadyReport(found))
  }

  title('Verdicts')
  for (const line of verdicts) console.log(line)
  if (mostOthers() > DISTURBED_PERCENT) {
    note(`Disturbed: other programs took up to ${percent(mostOthers())} of one core. Repeat it on a quiet machine.`)
  }
  console.log(`\nload average at the end: ${loads()}`)
}

function steadyReport(found: SteadyMeasured): string[] {
  const { answerMs, delayMs, memory, rows } = found
  line('acknowledged after, p50 / p99 / max', spread(answerMs))
  line('arrived at the receiver after, p50 / p99 / max', spread(delayMs))
  line('server, processor time per event', found.cpuUs === null ? '–' : `${found.cpuUs.toFixed(0)} µs`)
  line('other programs, of one core', percent(found.othersPercent))
  line('answers other than 200', String(found.refused))
  const { early, late, most } = memoryOf(memory)
  line('resident memory, first fifth / last fifth / most', `${mb(early)} / ${mb(late)} / ${mb(most)}`)
  line('bytes in the file per event', found.bytesPerEvent.toFixed(0))
  line('rows afterwards', `${rows.events} events, ${rows.delivered} delivered, ${rows.waiting} waiting`)
  const growth = (late / early - 1) * 100
  // Before that, memory grows because code is still being compiled.
  const long = memory.length >= LONG_SOAK_SECONDS
  const flat = 'under 10 % (flat)'
  return [
    verdict(`acknowledged, p99 at ${STEADY_PER_SECOND}/s`, ms(answerMs.p99), '50 ms or less', answerMs.p99 <= 50),
    verdict('resident memory, most', mb(most), 'under 250 MB', most < 250),
    long
      ? verdict('resident memory, growth', `${growth.toFixed(1)} %`, flat, growth < 10)
      : `  not judged  resident memory, growth: ${growth.toFixed(1)} %; bar ${flat}; needs --soak 5m or longer`,
  ]
}

/** Medians of the second fifth (the first is warm-up) and the last. */
function memoryOf(memory: number[]): { early: number; late: number; most: number } {
  const fifth = Math.max(1, Math.floor(memory.length / 5))
  return {
    early: median(memory.slice(fifth, 2 * fifth)),
    late: median(memory.slice(-fifth)),
    most: Math.max(...memory),
  }
}

function tableOf({ product, bare }: Compared): void {
  for (const [name, rounds] of Object.entries({ product, bare })) {
    const middle = (pick: (one: Measured) => number) => median(rounds.map(pick))
    const answer = `${ms(middle((one) => one.answerMs.p50))} / ${ms(middle((one) => one.answerMs.p99))}`
    keep(`${name}, of ${rounds.length}`, Math.round(middle((one) => one.perSecond)), { unit: 'events/s' })
    keep(`${name}, answered after, p50 / p99`, answer)
    keep(`${name}, processor time per event`, Math.round(middle((one) => one.cpuUs ?? Number.NaN)), { unit: 'µs' })
  }
  const columns = ['', 'events/s', 'answered p50', 'p99', 'CPU/event', 'others', 'not 200']
  const row = (name: string, one: Measured) => [
    name,
    one.perSecond.toFixed(0),
    ms(one.answerMs.p50),
    ms(one.answerMs.p99),
    one.cpuUs === null ? '–' : `${one.cpuUs.toFixed(0)} µs`,
    percent(one.othersPercent),
    String(one.refused),
  ]
  const rows = [columns]
  product.forEach((own, index) => {
    const other = bare[index]
    if (other) rows.push(row('bare', other))
    rows.push(row('product', own))
  })
  for (const cells of rows)
    console.log(`  ${cells.map((cell, at) => (at === 0 ? cell.padEnd(9) : cell.padStart(14))).join('')}`)
}

/** Each round has its own ratio, because both sides of it had the same neighbours; the median counts. */
function ratioVerdict(name: string, { product, bare }: Compared, bar: number): string {
  const ratios = product.map((own, index) => own.perSecond / (bare[index]?.perSecond ?? Number.NaN))
  const cpu = product.map((own, index) => (bare[index]?.cpuUs ?? Number.NaN) / (own.cpuUs ?? Number.NaN))
  const ratio = median(ratios)
  const detail = `${ratio.toFixed(2)} (rounds ${ratios.map((one) => one.toFixed(2)).join(', ')}; by processor time ${median(cpu).toFixed(2)})`
  return verdict(name, detail, `${bar} or more`, ratio >= bar)
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function verdict(name: string, found: string, bar: string, reached: boolean): string {
  keep(name, found, { bar, met: reached })
  return `  ${reached ? 'reached' : 'MISSED '}  ${name}: ${found}; bar ${bar}`
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
  console.log(`  ${label.padEnd(52)}${value}`)
}
function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}
function mb(value: number): string {
  return Number.isFinite(value) ? `${value.toFixed(0)} MB` : '–'
}
function percent(value: number | null): string {
  return value === null ? '–' : `${value.toFixed(0)} %`
}
function spread({ p50, p99, max }: Spread): string {
  return `${ms(p50)} / ${ms(p99)} / ${ms(max)}`
}
function loads(): string {
  return loadavg()
    .map((one) => one.toFixed(2))
    .join(' ')
}

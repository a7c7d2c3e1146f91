// One hostile tenant and one stranger with every known attack on the product at once, beside twenty ordinary accounts.
// Exits with 1 when an ordinary account notices; the earlier code must fail, otherwise the siege proves nothing.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { runTimeOf } from '#tests/support/run-time.ts'
import { percentile } from '../report/arguments.ts'
import type { LineChart } from '../report/figures.ts'
import { waitedMs } from '../report/processor-time.ts'
import { type ProofReport, proofReport } from '../report/report.ts'
import { proofLoad } from '../stage/load.ts'
import { type Checkout, pause } from '../stage/server.ts'
import { IMAGE_MB, judgeSiege, type SiegeSeen } from './judge.ts'
import { type SiegePrograms, type SiegeStage, siegeStage } from './stage.ts'
import type { AttackCounts } from './wire.ts'

const WARM_UP_MS = 10_000
const RAMP_MS = 2_000
const SAMPLE_MS = 250
const PAGE_EVERY_MS = 2_000
const PAGE_WITHIN_MS = 15_000
const DELIVERED_WITHIN_MS = 60_000
/** Somebody notices when an ordinary event waits this long. */
const NOTICED_MS = 1_000
/** The earlier code fails within this time. */
const CONTROL_SECONDS = 120
/** A platform sends events from few machines. */
const PLATFORM_ADDRESS = '203.0.113.5'
const USAGE = `Usage: npm run prove:siege -- [--seconds 600] [--quiet 60] [--rate 100] [--only "beginning of a name"] [--seed S] [--record]
  --control <folder>    another state of the project, installed and built: the same siege must break it
  --node <program>      the Node that it runs on, when not this one
  --control-only        nothing else
  --pace 0.2            a fifth of each attack's rate`

interface SiegeAsked {
  seconds: number
  quiet: number
  rate: number
  seed: number
  only: string[]
  /** Multiplier of each attack's rate. */
  pace: number
  control: Checkout | null
  controlOnly: boolean
}

interface Siege extends SiegeSeen {
  attacks: AttackCounts[]
  /** The first effect that an ordinary account noticed, in words; null for none. */
  noticed: string | null
  /** Share of the time in which the process was ready to run without a processor, quiet and besieged. */
  starved: [number | null, number | null]
  /** Share of one processor that it used. */
  worked: [number | null, number | null]
  refusalsWritten: number
  charts: LineChart[]
}

function readAsked(args: string[]): SiegeAsked {
  try {
    const text = { type: 'string' } as const
    const { values } = parseArgs({
      args,
      options: {
        ...{ seconds: text, quiet: text, rate: text, seed: text, only: text, control: text, node: text, pace: text },
        'control-only': { type: 'boolean', default: false },
      },
    })
    const { control, node = process.execPath } = values
    const asked: SiegeAsked = {
      seconds: Number(values.seconds ?? 600),
      quiet: Number(values.quiet ?? 60),
      rate: Number(values.rate ?? 100),
      seed: Number(values.seed ?? 1),
      only: values.only ? values.only.split(',').map((name) => name.trim()) : [],
      control: control === undefined ? null : { root: control, node },
      pace: Number(values.pace ?? 1),
      controlOnly: values['control-only'],
    }
    if (asked.seconds > 0 && asked.quiet > 0 && asked.rate >= 10 && Number.isInteger(asked.seed)) return asked
    throw new Error('Seconds are more than 0, the rate is 10 or more, the seed is a whole number.')
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    process.exit(2)
  }
}

export async function siege(programs: SiegePrograms, args: string[]): Promise<void> {
  const asked = readAsked(args)
  const { control, controlOnly, only, ...plain } = asked
  const options = { ...plain, ...(only.length > 0 && { only: only.join(',') }) }
  const report = proofReport('Siege', options, {
    name: 'siege',
    script: 'prove:siege',
    options: { ...options, ...(control && { control: '<the code of before>' }) },
  })
  if (!controlOnly) {
    const found = await besiege(programs, asked, report)
    tellAttacks(report, found.attacks)
    report.section('What ordinary accounts noticed')
    tellJudged(report, found)
    for (const { name, sent, answers } of found.attacks)
      report.must(sent > 0 && Object.keys(answers).length > 0, `nothing came of "${name}": it did not reach the server`)
    for (const { name, met, fault } of judgeSiege(found)) report.must(met !== false, fault ?? name)
    for (const one of found.charts) report.chart(one)
  }
  if (control) {
    const seconds = Math.min(asked.seconds, CONTROL_SECONDS)
    const found = await besiege(programs, { ...asked, seconds, control }, report, control)
    report.section('The same siege against the code of before')
    tellJudged(report, found, 'values')
    if (controlOnly) tellAttacks(report, found.attacks)
    const broken = judgeSiege(found).some(({ met }) => met === false)
    report.line('does the siege break it', broken ? 'yes' : 'no', { bar: 'yes', met: broken })
    report.must(broken, 'the code of before held as well, so nothing is shown')
  }
  report.end()
}

function tellAttacks({ section, line }: ProofReport, attacks: readonly AttackCounts[]): void {
  section('What each attack got')
  for (const { name, sent, skipped, answers } of attacks) {
    const got = Object.entries(answers).map(([said, count]) => `${count} × ${said}`)
    line(name, `${sent} sent: ${got.join(', ') || 'no answer'}${skipped > 0 ? ` (${skipped} left out)` : ''}`)
  }
}

/** `values`: for the earlier code, which is expected to miss its bars. */
function tellJudged({ line }: ProofReport, found: Siege, what: 'bars' | 'values' = 'bars'): void {
  for (const { name, value, bar, met } of judgeSiege(found)) {
    line(name, value, bar === undefined || what === 'values' ? undefined : { bar, ...(met !== undefined && { met }) })
  }
  line('first noticed', found.noticed ?? 'nothing')
  line('refusals written into the log of accounts, a minute', found.refusalsWritten)
  const share = (value: number | null) => (value === null ? '?' : `${(value * 100).toFixed(0)} %`)
  const both = ([quiet, besieged]: Siege['starved']) => `quiet ${share(quiet)}, besieged ${share(besieged)}`
  line('the process at work, of one processor', both(found.worked))
  line('time in which it could have run and others had the processor', both(found.starved))
}

/** A quiet phase, then the siege. Ends early when the process does. */
async function besiege(
  programs: SiegePrograms,
  { seconds, quiet, rate, seed, only, pace }: SiegeAsked,
  { line }: Pick<ProofReport, 'line'>,
  checkout?: Checkout,
): Promise<Siege> {
  const stage = await siegeStage(programs, seed, checkout)
  const load = proofLoad(stage.targets, rate, randomUUID, 'kept', { 'fly-client-ip': PLATFORM_ADDRESS })
  const { server } = stage
  let ended: string | null = null
  void server.ended().then(({ code, signal }) => {
    ended = signal === null ? `code ${code}` : `signal ${signal}`
  })
  try {
    // Ordinary use is the same in both phases: events, and people who read pages. Only the siege is added.
    const before = readPages(stage)
    load.begin()
    await pause(Math.min(WARM_UP_MS, quiet * 1000))
    load.latencies.length = 0
    const used = [usedBy(server.pid)]
    const quietMs = quiet * 1000
    await pause(quietMs)
    used.push(usedBy(server.pid))
    const calm = load.latencies.splice(0)
    await before.stop()
    line('… quiet', `p99 ${percentile(calm, 0.99).toFixed(1)} ms`)
    const refusedBefore = new Map(load.statuses)

    const watch = watchAcks(stage, load)
    const pages = readPages(stage)
    stage.attack({ rampMs: Math.min(RAMP_MS, (seconds * 1000) / 40), pace, only, seed })
    const began = performance.now()
    let minute = 0
    while (performance.now() - began < seconds * 1000 && ended === null) {
      await pause(SAMPLE_MS)
      watch.look((performance.now() - began) / 60_000)
      if (performance.now() - began < (minute + 1) * 60_000) continue
      minute += 1
      line(`… ${minute} min`, watch.tell())
    }
    used.push(usedBy(server.pid))
    const siegeMs = performance.now() - began
    const attacks = await stage.counts()
    await stage.endAttack()
    await pages.stop()
    await load.end()
    watch.look((performance.now() - began) / 60_000)
    const peakMb = ended === null ? memoryOf(server.pid).peakMb : watch.peakMb()
    const undelivered = await stage.receiver.stillMissing(load.acknowledged, ended === null ? DELIVERED_WITHIN_MS : 0)
    const endedBefore = ended
    if (ended === null) await server.drain()
    return {
      quiet: calm,
      besieged: watch.acks,
      refused: refusedSince(refusedBefore, load.statuses),
      undelivered,
      pages,
      peakMb,
      ended: endedBefore && `${endedBefore} after ${(siegeMs / 1000).toFixed(0)} s`,
      breaches: attacks.flatMap(({ breaches }) => breaches),
      attacks,
      noticed: watch.noticed(),
      starved: [shareOf(used[0]?.waited, used[1]?.waited, quietMs), shareOf(used[1]?.waited, used[2]?.waited, siegeMs)],
      worked: [shareOf(used[0]?.worked, used[1]?.worked, quietMs), shareOf(used[1]?.worked, used[2]?.worked, siegeMs)],
      refusalsWritten: refusalsWritten(server.databaseFile, siegeMs),
      charts: watch.charts(),
    }
  } finally {
    load.close()
    await stage.close()
  }
}

/** Checks the ordinary accounts' answers four times a second. */
function watchAcks({ server, began: attacks }: SiegeStage, load: ReturnType<typeof proofLoad>) {
  const acks: number[] = []
  const memory: [number, number][] = []
  const waits: [number, number][] = []
  let recent: number[] = []
  let pointDue = 0
  let peakMb: number | null = null
  let answers = badOnes(load.statuses)
  let noticed: string | null = null

  function notice(what: string, agoMs: number): void {
    const since = Date.now() - agoMs + NOTICED_MS
    const last = attacks.filter(({ when }) => when <= since).at(-1)
    noticed ??= `${what}, ${last ? `after "${last.name}" began` : 'before any attack'}`
  }

  return {
    acks,
    peakMb: () => peakMb,
    noticed: () => noticed,
    tell: () => `${memory.at(-1)?.[1].toFixed(0)} MB, ack p99 ${percentile(acks, 0.99).toFixed(1)} ms so far`,
    look(minutes: number): void {
      const now = load.latencies.splice(0)
      for (const ms of now) acks.push(ms)
      recent.push(...now)
      const longest = Math.max(0, ...now)
      if (longest > NOTICED_MS) notice(`an event waited ${(longest / 1000).toFixed(1)} s`, longest)
      const bad = badOnes(load.statuses)
      if (bad > answers) notice('an event was refused or cut off', 15_000)
      answers = bad
      const { residentMb, peakMb: peak } = memoryOf(server.pid)
      if (peak !== null) peakMb = peak
      if (minutes < pointDue) return
      pointDue = minutes + 1 / 12
      if (residentMb !== null) memory.push([minutes, residentMb])
      if (recent.length > 0) waits.push([minutes, percentile(recent, 0.99)])
      recent = []
    },
    charts: (): LineChart[] => [
      {
        id: 'memory',
        title: 'Memory of the server under siege',
        says: 'Resident memory in MB over the minutes of the siege, below the limit of the image.',
        kind: 'lines',
        x: { name: 'time', unit: 'min' },
        y: { name: 'resident', unit: 'MB' },
        lines: [{ name: 'resident', points: memory }],
        bar: { name: `image ${IMAGE_MB} MB`, value: IMAGE_MB },
      },
      {
        id: 'acknowledged',
        title: 'How long ordinary accounts wait under siege',
        says: 'The p99 of the acknowledgements of ordinary events, of five seconds each, over the minutes of the siege.',
        kind: 'lines',
        x: { name: 'time', unit: 'min' },
        y: { name: 'p99', unit: 'ms' },
        lines: [{ name: 'p99 of 5 s', points: waits }],
      },
    ],
  }
}

/** Loads a page every two seconds as a person of an ordinary account. */
function readPages({ people }: SiegeStage) {
  const seen = { answered: 0, unanswered: 0, waits: [] as number[] }
  const reading = new Set<Promise<void>>()
  let turn = 0
  const read = async () => {
    const person = people[turn++ % people.length]
    if (!person) return
    const began = performance.now()
    const answer = person.browser.get(`/fieldhook?accountUUID=${person.account}`).catch(() => null)
    const page = await Promise.race([answer, pause(PAGE_WITHIN_MS).then(() => null)])
    if (page?.status !== 200 || !page.text.includes('Ordinary')) seen.unanswered++
    else {
      seen.answered++
      seen.waits.push(performance.now() - began)
    }
  }
  const timer = setInterval(() => {
    const one: Promise<void> = read().finally(() => reading.delete(one))
    reading.add(one)
  }, PAGE_EVERY_MS)
  return Object.assign(seen, {
    async stop() {
      clearInterval(timer)
      await Promise.all(reading)
    },
  })
}

function badOnes(statuses: ReadonlyMap<number, number>): number {
  return [...statuses].reduce((sum, [status, count]) => sum + (status === 200 ? 0 : count), 0)
}

function refusedSince(before: ReadonlyMap<number, number>, now: ReadonlyMap<number, number>): Map<string, number> {
  const since = [...now].map(([status, count]) => [status, count - (before.get(status) ?? 0)] as const)
  return new Map(
    since
      .filter(([status, count]) => status !== 200 && count > 0)
      .map(([status, count]) => [status === 0 ? 'cut off' : String(status), count]),
  )
}

function memoryOf(pid: number): { residentMb: number | null; peakMb: number | null } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024
    const [residentMb, peakMb] = [mb('VmRSS'), mb('VmHWM')]
    return Number.isFinite(peakMb) ? { residentMb, peakMb } : { residentMb: null, peakMb: null }
  } catch {
    return { residentMb: null, peakMb: null }
  }
}

function usedBy(pid: number): { waited: number | null; worked: number | null } {
  return { waited: waitedMs(pid), worked: runTimeOf(pid) }
}

function shareOf(before: number | null | undefined, after: number | null | undefined, ms: number): number | null {
  return before == null || after == null ? null : (after - before) / ms
}

function refusalsWritten(databaseFile: string, ms: number): number {
  const sql = new Database(databaseFile, { readonly: true })
  try {
    const count =
      sql.prepare<[], number>("SELECT count(*) FROM audit_entry WHERE outcome = 'refused'").pluck().get() ?? 0
    return Math.round(count / (ms / 60_000))
  } finally {
    sql.close()
  }
}

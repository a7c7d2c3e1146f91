// Load and abuse at once for the requested time. Prints growth and losses; exits with 1 when a figure misses its bar.
import { randomUUID } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { seededRandom } from '../report/arguments.ts'
import { waitedMs } from '../report/processor-time.ts'
import { none, type ProofReport, proofReport } from '../report/report.ts'
import { untilNothingWaits } from '../stage/file.ts'
import { type ProofLoad, proofLoad } from '../stage/load.ts'
import { pause, within } from '../stage/server.ts'
import { examineSoak } from './file.ts'
import { judgeSamples, soakCharts, whoseTime } from './judge.ts'
import { type SoakPeople, soakPeople } from './people.ts'
import { type HeapSample, type Sample, sampler } from './samples.ts'
import { ROLES, type SoakStage, soakStage } from './stage.ts'
import type { AbuseCounts } from './wire.ts'

/** Share of all events that go to misbehaving addresses. */
const HOSTILE_SHARE = 0.15
/** Attempts in flight at once (engine: slots): one stop could repeat this many. */
const SLOTS = 64
const SLOW_SENDERS = 300
/** A slow sender is cut off by then: 30 s for a request, 5 s between checks, and a moment. */
const SLOW_KEPT_MS = 40_000
const SAMPLE_EVERY_MS = 5_000
const HEAP_EVERY_MS = 30_000
const STOPS_WITHIN_MS = 20_000
const DELIVERED_WITHIN_MS = 180_000
const USAGE = 'Usage: npm run prove:soak -- [--minutes 30] [--rate 100] [--seed S] [--record]'

interface Asked {
  minutes: number
  rate: number
  seed: number
}

function readAsked(args: string[]): Asked {
  try {
    const { values } = parseArgs({
      args,
      options: { minutes: { type: 'string' }, rate: { type: 'string' }, seed: { type: 'string' } },
    })
    const asked = {
      minutes: Number(values.minutes ?? 30),
      rate: Number(values.rate ?? 100),
      seed: Number(values.seed ?? 1 + Math.floor(Math.random() * 1e9)),
    }
    if (asked.minutes > 0 && asked.rate >= 10 && Number.isInteger(asked.seed)) return asked
    throw new Error('Minutes are more than 0, the rate is 10 or more, the seed is a whole number.')
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    process.exit(2)
  }
}

/** @param abuseProgram path of packages/lab/soak/abuse.ts, bundled */
export async function soak(abuseProgram: string, args: string[]): Promise<void> {
  const asked = readAsked(args)
  const report = proofReport('Load and abuse', asked, { name: 'soak', script: 'prove:soak' })
  const random = seededRandom(asked.seed)
  const stage = await soakStage(abuseProgram, random)
  const healthy = proofLoad(stage.healthy, asked.rate * (1 - HOSTILE_SHARE), randomUUID)
  const hostile = proofLoad(stage.hostile, asked.rate * HOSTILE_SHARE, randomUUID)
  try {
    const people = await soakPeople(stage, random)
    const found = await bear({ stage, healthy, hostile, people, asked, report })
    tellSamples(report, found)
    const stopped = await stopUnderLoad(stage, [healthy, hostile], people)
    await settle(stage, healthy, hostile)
    tellStop(report, stopped, healthy, hostile)
    tellAbuse(report, found, people)
    tellEnd(report, stage, healthy, hostile, people)
    report.end()
  } finally {
    healthy.close()
    hostile.close()
    await stage.close()
  }
}

interface Scene {
  stage: SoakStage
  healthy: ProofLoad
  hostile: ProofLoad
  people: SoakPeople
  asked: Asked
  report: ProofReport
}

interface Borne {
  samples: Sample[]
  heaps: HeapSample[]
  /** From the judged time. */
  acks: number[]
  reads: number[]
  /** The measuring process's own delay, p99, ms: part of every wait it measured. */
  ownLagMs: number
  /** The share of the time in which the server was ready to run without a processor. */
  starved: number | null
  abuse: AbuseCounts
}

async function bear({ stage, healthy, hostile, people, asked, report }: Scene): Promise<Borne> {
  const borne = { samples: [] as Sample[], heaps: [] as HeapSample[], acks: [] as number[], reads: [] as number[] }
  const lag = monitorEventLoopDelay({ resolution: 10 })
  lag.enable()
  const waitedBefore = waitedMs(stage.server.pid)
  const began = performance.now()
  const lasts = asked.minutes * 60_000
  const heapEvery = Math.min(HEAP_EVERY_MS, lasts / 6)
  const at = () => (performance.now() - began) / 60_000
  const looks = sampler(stage.server, stage.receivers.steady.url, () => {
    const [acks, reads] = [healthy.latencies.splice(0), people.waits.splice(0)]
    const others = hostile.latencies.splice(0).length
    if (at() >= asked.minutes / 6) {
      for (const one of acks) borne.acks.push(one)
      for (const one of reads) borne.reads.push(one)
    }
    return { acks, others, reads }
  })
  healthy.begin()
  hostile.begin()
  stage.abuse.begin({ seed: asked.seed, slow: SLOW_SENDERS })
  let heapDue = heapEvery
  let toldMinute = 0
  // Receivers and owners are quiet in the last minute, otherwise their actions would mix with the effects of the stop.
  const calmAt = Math.max(lasts * 0.5, lasts - 60_000)
  let calm: Promise<void> | null = null
  for (let due = SAMPLE_EVERY_MS; due <= lasts; due += Math.min(SAMPLE_EVERY_MS, lasts / 12)) {
    await pause(Math.max(0, began + due - performance.now()))
    if (performance.now() - began >= calmAt) calm ??= people.calmDown()
    borne.samples.push(looks.sample(at()))
    if (due >= heapDue) {
      heapDue += heapEvery
      const heap = await looks.heap(at())
      if (heap) borne.heaps.push(heap)
      else report.must(false, `the server did not say how much memory it has at ${at().toFixed(1)} min`)
    }
    const minute = Math.floor(at())
    const sample = borne.samples.at(-1)
    if (minute > toldMinute && sample) {
      toldMinute = minute
      report.line(
        `… ${minute} min`,
        `${sample.residentMb.toFixed(0)} MB resident, ${borne.heaps.at(-1)?.heapMb.toFixed(1)} MB heap, ${sample.descriptors} descriptors, wal ${sample.walMb.toFixed(1)} MB, ack p99 ${sample.ackP99.toFixed(0)} ms, due ${sample.oldestDueMs} ms`,
      )
    }
  }
  await calm
  lag.disable()
  const waited = waitedMs(stage.server.pid)
  const starved =
    waited === null || waitedBefore === null ? null : (waited - waitedBefore) / (performance.now() - began)
  return { ...borne, starved, ownLagMs: lag.percentile(99) / 1e6, abuse: await stage.abuse.tell() }
}

function tellSamples({ section, line, must, chart }: ProofReport, borne: Borne): void {
  section('What grows, and how long people wait')
  for (const { name, value, bar, met, fault } of judgeSamples(borne)) {
    line(name, value, bar === undefined ? undefined : { bar, ...(met !== undefined && { met }) })
    must(fault === undefined, fault ?? '')
  }
  line('by how much the measuring process was late itself, p99', `${borne.ownLagMs.toFixed(0)} ms`)
  for (const one of soakCharts(borne.samples, borne.heaps)) chart(one)
}

interface Stopped {
  code: number | null
  ms: number
  /** Events sent during the stop, by whether they were answered 200. */
  underWay: number
  /** Deliveries repeated since. */
  repeatsSince(): number
}

/** SIGTERM during full activity; then a restart, and unanswered events are sent again. */
async function stopUnderLoad(stage: SoakStage, loads: ProofLoad[], people: SoakPeople): Promise<Stopped> {
  const { server } = stage
  const repeats = () =>
    ROLES.filter((role) => role !== 'replayed').reduce((sum, role) => sum + stage.receivers[role].repeats(), 0)
  const sentBefore = loads.reduce((sum, load) => sum + load.sent(), 0)
  const repeatsBefore = repeats()
  // Browsers tell people that the server is away; what they see then is not tested here.
  const went = people.stop()
  const began = performance.now()
  const { code } = await server.drain()
  const ms = performance.now() - began
  for (const load of loads) await load.end()
  const underWay = loads.reduce((sum, load) => sum + load.sent(), 0) - sentBefore
  await went
  const how = await server.launch(stage.launch)
  if (how !== 'listening') throw new Error(`it does not start again:\n${server.output()}`)
  await server.ready()
  for (const load of loads) {
    const left = await load.settleUp(60_000)
    if (left > 0) throw new Error(`${left} events could not be handed in even afterwards`)
  }
  return { code, ms, underWay, repeatsSince: () => repeats() - repeatsBefore }
}

function tellStop(
  { section, line, must }: ProofReport,
  stopped: Stopped,
  healthy: ProofLoad,
  hostile: ProofLoad,
): void {
  section('SIGTERM while everything went on')
  const { code, ms } = stopped
  line('exit code', String(code), { bar: '0', met: code === 0 })
  line('ended after', `${(ms / 1000).toFixed(1)} s`, {
    bar: `under ${STOPS_WITHIN_MS / 1000} s`,
    met: ms < STOPS_WITHIN_MS,
  })
  line('events sent meanwhile', stopped.underWay)
  const cut = (load: ProofLoad) =>
    [...load.statuses].filter(([status]) => status !== 200).reduce((sum, [, count]) => sum + count, 0)
  line('calls of the platform refused or cut off in all, and sent again', cut(healthy) + cut(hostile))
  const after = stopped.repeatsSince()
  line('delivered again because of it', after, { bar: `at most ${SLOTS}`, met: after <= SLOTS })
  must(code === 0, `the server ended with ${code}`)
  must(ms < STOPS_WITHIN_MS, `the server took ${(ms / 1000).toFixed(1)} s to end`)
  must(after <= SLOTS, `${after} deliveries were repeated by the stop`)
}

/** Waits until everything healthy is delivered, then ends the server orderly. */
async function settle(stage: SoakStage, healthy: ProofLoad, hostile: ProofLoad): Promise<void> {
  await stage.abuse.end()
  const { server } = stage
  const urls = ROLES.map((role) => stage.receivers[role].url)
  await untilNothingWaits(server.databaseFile, DELIVERED_WITHIN_MS, urls)
  await Promise.all([healthy.end(), hostile.end()])
  const { code } = await within(60_000, server.drain(), () => 'it does not end')
  if (code !== 0) throw new Error(`the second stop ended with ${code}:\n${server.output().slice(-2_000)}`)
}

function tellAbuse({ section, line, must }: ProofReport, { abuse, starved }: Borne, people: SoakPeople): void {
  section('What it had to bear')
  line('connections of slow senders: open at once / in all', `${abuse.slowOpen} / ${abuse.slowOpened}`)
  line('longest that one was kept', `${(abuse.slowLongestMs / 1000).toFixed(1)} s`, {
    bar: `under ${SLOW_KEPT_MS / 1000} s`,
    met: abuse.slowLongestMs < SLOW_KEPT_MS,
  })
  line('pieces of junk', abuse.junk)
  line(
    'answers to junk',
    Object.entries(abuse.answers)
      .map(([status, count]) => `${count} × ${status === '0' ? 'cut off' : status}`)
      .join(', '),
  )
  const faulty = Object.entries(abuse.answers).reduce(
    (sum, [status, count]) => sum + (Number(status) >= 500 ? count : 0),
    0,
  )
  line('answers of 500 and above to junk', faulty, none(faulty))
  line('deliveries tried at hostile receivers', abuse.hostileRequests)
  const { counts, refused, triggered } = people
  line('pages and calls of people', counts.reads)
  line('pauses / replays / absences of receivers', `${counts.pauses} / ${counts.replays} / ${counts.absences}`)
  line('rules set off / times the platform was made to fail', `${triggered.length} / ${counts.faults}`)
  line('what people asked for and did not get', refused.length, none(refused.length))
  for (const sentence of [...new Set(refused)].slice(0, 5)) line('  such as', sentence)
  const kept = `a slow sender was kept for ${(abuse.slowLongestMs / 1000).toFixed(0)} s`
  must(abuse.slowLongestMs < SLOW_KEPT_MS, kept + whoseTime(starved))
  must(faulty === 0, `${faulty} pieces of junk were answered with 500 or above`)
  must(refused.length === 0, `people did not get what they asked for ${refused.length} times: ${refused[0]}`)
}

function tellEnd(
  report: ProofReport,
  stage: SoakStage,
  healthy: ProofLoad,
  hostile: ProofLoad,
  people: SoakPeople,
): void {
  const { section, line, must } = report
  section('What became of what was acknowledged')
  const found = examineSoak(stage.server.databaseFile, {
    healthy: healthy.acknowledged,
    hostile: hostile.acknowledged,
    triggered: people.triggered,
  })
  const arrived = new Map(ROLES.flatMap((role) => [...stage.receivers[role].arrivals]))
  const lost = [...healthy.acknowledged].filter((record) => !arrived.has(record)).length
  const repeats = ROLES.filter((role) => role !== 'replayed').reduce(
    (sum, role) => sum + stage.receivers[role].repeats(),
    0,
  )
  line('acknowledged, for healthy / hostile addresses', `${healthy.acknowledged.size} / ${hostile.acknowledged.size}`)
  line('acknowledged and not in the file', found.missing, none(found.missing))
  line('acknowledged and not arrived at a healthy address', lost, none(lost))
  line('stored twice', found.storedTwice, none(found.storedTwice))
  line('arrived twice though nobody cut off an answer', repeats, {
    bar: `at most ${SLOTS}, by the stop`,
    met: repeats <= SLOTS,
  })
  line('deliveries still waiting at healthy addresses', found.waitingHealthy, none(found.waitingHealthy))
  line('waiting for hostile addresses, kept for 72 hours', found.waitingHostile)
  line('triggers accepted and without a run', found.runsMissing, none(found.runsMissing))
  line('runs: by their end', found.runs)
  line('tasks made twice by a rule', found.tasksTwice, none(found.tasksTwice))
  line('file', `${found.integrity}, ${found.events} events`, { bar: 'ok', met: found.integrity === 'ok' })
  line('counters that say something else than the rows', found.wrongCounters.length, none(found.wrongCounters.length))
  for (const sentence of found.wrongCounters) line('  counter', sentence)
  must(healthy.acknowledged.size > 0, 'nothing was acknowledged, so nothing is shown')
  must(found.missing === 0, `${found.missing} acknowledged events are lost`)
  must(lost === 0, `${lost} acknowledged events never arrived at a healthy address`)
  must(found.storedTwice === 0, `${found.storedTwice} events are stored twice`)
  must(repeats <= SLOTS, `${repeats} deliveries arrived twice`)
  must(found.waitingHealthy === 0, `${found.waitingHealthy} deliveries to healthy addresses are stuck`)
  must(found.runsMissing === 0, `${found.runsMissing} accepted triggers have no run`)
  must(found.tasksTwice === 0, `${found.tasksTwice} tasks were made twice`)
  must(found.integrity === 'ok', `the file is damaged: ${found.integrity}`)
  must(found.wrongCounters.length === 0, `counters are wrong: ${found.wrongCounters.join('; ')}`)
}

// Judges the samples of a soak, without the first sixth of the time: during it, code is still being compiled and caches
// fill.
import { percentile } from '../report/arguments.ts'
import type { LineChart } from '../report/figures.ts'
import type { HeapSample, Sample } from './samples.ts'
import { afterWarmUp, type Point, slopeOf } from './slope.ts'

const WARM_UP = 1 / 6
/** Above this share of the time without a processor, waiting times include those of other programs. */
const DISTURBED = 0.15
/** Below this duration, minutes, a line through the points means nothing. */
export const JUDGED_FROM_MINUTES = 5

export interface SoakFigure {
  name: string
  value: string
  bar?: string
  /** Missing when the run was too short to judge. */
  met?: boolean
  fault?: string
}

interface Bars {
  /** MB a minute that the heap after garbage collection may grow. */
  heap: number
  /** How many more descriptors, besides incoming connections, there may be at the end than at the beginning. */
  descriptors: number
  /** Allowed growth of all descriptors, as a share: hundreds of slow senders come and go, so the line is never flat. */
  incoming: number
  /** MB a minute that the write-ahead log may grow. */
  wal: number
  /** Maximum size of the write-ahead log, MB: the server's limit, plus one burst. */
  walMost: number
  /** Maximum wait of the oldest due delivery of an undisturbed address, ms, except for one sample in a hundred. */
  due: number
  /** Maximum wait of a normal user at p99, ms. */
  waits: number
}

export const SOAK_BARS: Bars = {
  heap: 1,
  descriptors: 20,
  incoming: 0.15,
  wal: 0.5,
  walMost: 72,
  due: 5_000,
  waits: 1_000,
}

/**
 * `acks` and `reads`: durations of each acknowledgement and each page in the judged time, ms. `starved`: the share of
 * the time in which the server was ready to run without a processor; if high, a missed wait says nothing about the
 * server.
 */
export function judgeSamples(input: {
  samples: readonly Sample[]
  heaps: readonly HeapSample[]
  acks: readonly number[]
  reads: readonly number[]
  starved: number | null
}): SoakFigure[] {
  const { samples, heaps, acks, reads, starved } = input
  const of = (pick: (sample: Sample) => number): Point[] =>
    afterWarmUp(
      samples.map((one) => [one.at, pick(one)] as const).filter(([, value]) => Number.isFinite(value)),
      WARM_UP,
    )
  const heap = afterWarmUp(
    heaps.map((one) => [one.at, one.heapMb] as const),
    WARM_UP,
  )
  const [descriptors, own, wal, resident] = [
    of((one) => one.descriptors),
    of((one) => one.descriptors - one.incoming),
    of((one) => one.walMb),
    of((one) => one.residentMb),
  ]
  const minutes = spanOf(samples.map((one) => [one.at, 0]))
  const long = minutes >= JUDGED_FROM_MINUTES
  const slope = (name: string, points: readonly Point[], bar: number): SoakFigure => {
    const found = slopeOf(points)
    return judged(name, `${signed(found)} MB/min`, `under ${bar} MB/min`, long ? found < bar : undefined)
  }
  const middle = (points: readonly Point[]) =>
    percentile(
      points.map(([, value]) => value),
      0.5,
    )
  const more = (name: string, points: readonly Point[], bar: number) => {
    const found = slopeOf(points) * spanOf(points)
    const value = `${signed(found)} of about ${Math.round(middle(points))}`
    return judged(name, value, `under ${Math.round(bar)}`, long ? found < bar : undefined)
  }
  const timed = (name: string, found: number, bar: number): SoakFigure => {
    const figure = judged(name, ms(found), `under ${ms(bar)}`, found < bar)
    return figure.fault === undefined ? figure : { ...figure, fault: figure.fault + whoseTime(starved) }
  }
  const most = (points: readonly Point[]) => Math.max(...points.map(([, value]) => value))
  const due = percentile(
    samples.map((one) => one.oldestDueMs),
    0.99,
  )
  const [ackP99, readP99] = [percentile(acks, 0.99), percentile(reads, 0.99)]
  return [
    slope('heap after garbage collection, growth', heap, SOAK_BARS.heap),
    { name: 'heap after garbage collection, most', value: mb(most(heap)) },
    { name: 'resident memory, growth', value: `${signed(slopeOf(resident))} MB/min` },
    { name: 'resident memory, most', value: mb(Math.max(...samples.map((one) => one.residentMb))) },
    more(
      'open descriptors without incoming connections, more at the end than at the beginning',
      own,
      SOAK_BARS.descriptors,
    ),
    more(
      'open descriptors in all, more at the end than at the beginning',
      descriptors,
      middle(descriptors) * SOAK_BARS.incoming,
    ),
    slope('write-ahead log, growth', wal, SOAK_BARS.wal),
    judged('write-ahead log, most', mb(most(wal)), `under ${SOAK_BARS.walMost} MB`, most(wal) < SOAK_BARS.walMost),
    { name: 'database at the end', value: mb(samples.at(-1)?.databaseMb ?? Number.NaN) },
    timed('oldest due delivery of undisturbed addresses, p99 of samples', due, SOAK_BARS.due),
    { name: 'acknowledged after, p50', value: ms(percentile(acks, 0.5)) },
    timed('acknowledged after, p99', ackP99, SOAK_BARS.waits),
    { name: 'pages and calls of people, p50', value: ms(percentile(reads, 0.5)) },
    timed('pages and calls of people, p99', readP99, SOAK_BARS.waits),
    ...(starved === null
      ? []
      : [{ name: 'time in which the server wanted to run and others had the processors', value: percent(starved) }]),
  ]
}

/** The addition to a sentence about a missed time when the machine itself was too busy to judge. */
export function whoseTime(starved: number | null): string {
  if (starved === null || starved < DISTURBED) return ''
  return `; for ${percent(starved)} of the time the server wanted to run and others had the processors, so this cannot tell`
}

/** The charts for the page. */
export function soakCharts(samples: readonly Sample[], heaps: readonly HeapSample[]): LineChart[] {
  const minutes = { name: 'time', unit: 'min' }
  const line = (name: string, pick: (sample: Sample) => number) => ({
    name,
    points: samples.map((one): [number, number] => [one.at, pick(one)]).filter(([, value]) => Number.isFinite(value)),
  })
  return [
    {
      kind: 'lines',
      id: 'memory',
      title: 'Memory of the server',
      says: 'Resident memory, and the heap after garbage was collected, over the time of the soak.',
      x: minutes,
      y: { name: 'memory', unit: 'MB' },
      lines: [
        line('resident', (one) => one.residentMb),
        { name: 'heap after collection', points: heaps.map((one) => [one.at, one.heapMb]) },
      ],
    },
    {
      kind: 'lines',
      id: 'descriptors',
      title: 'Open descriptors of the server',
      says: 'How many files and connections the server has open, most of them held by slow senders, over the time of the soak.',
      x: minutes,
      y: { name: 'descriptors', unit: '' },
      lines: [
        line('all', (one) => one.descriptors),
        line('without incoming connections', (one) => one.descriptors - one.incoming),
      ],
    },
    {
      kind: 'lines',
      id: 'wal',
      title: 'Write-ahead log',
      says: 'The size of the write-ahead log over the time of the soak.',
      x: minutes,
      y: { name: 'size', unit: 'MB' },
      lines: [line('write-ahead log', (one) => one.walMb)],
      bar: { name: `bar ${SOAK_BARS.walMost} MB`, value: SOAK_BARS.walMost },
    },
    {
      kind: 'lines',
      id: 'acknowledged',
      title: 'How long an acknowledgement takes',
      says: 'Median and 99th percentile of the time to an acknowledgement, for each few seconds of the soak.',
      x: minutes,
      y: { name: 'acknowledged after', unit: 'ms' },
      lines: [line('p99', (one) => one.ackP99), line('p50', (one) => one.ackP50)],
      bar: { name: `bar ${SOAK_BARS.waits} ms`, value: SOAK_BARS.waits },
    },
    {
      kind: 'lines',
      id: 'load',
      title: 'Events acknowledged a second',
      says: 'How many events were acknowledged a second, for each few seconds of the soak.',
      x: minutes,
      y: { name: 'acknowledged', unit: 'events/s' },
      lines: [line('events/s', (one) => one.acksPerSecond)],
    },
  ]
}

function judged(name: string, value: string, bar: string, met: boolean | undefined): SoakFigure {
  if (met === undefined) return { name, value, bar }
  return { name, value, bar, met, ...(!met && { fault: `${name}: ${value}, the bar is ${bar}` }) }
}

function spanOf(points: readonly Point[]): number {
  return (points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0)
}

function signed(value: number): string {
  const text = Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(0)
  return value >= 0 ? `+${text}` : text
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

function mb(value: number): string {
  return `${value.toFixed(0)} MB`
}

function ms(value: number): string {
  return value < 10 ? `${value.toFixed(1)} ms` : `${value.toFixed(0)} ms`
}

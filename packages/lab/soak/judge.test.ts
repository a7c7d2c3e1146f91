import { expect, test } from 'vitest'
import { judgeSamples, type SoakFigure, soakCharts } from './judge.ts'
import { connectionsTo, type HeapSample, type Sample } from './samples.ts'

const MINUTES = 30

const samples = (change: Partial<Record<keyof Sample, (at: number) => number>> = {}): Sample[] =>
  Array.from({ length: MINUTES * 12 }, (_, n) => {
    const at = (n + 1) / 12
    const flat: Sample = {
      at,
      residentMb: 190,
      descriptors: n % 2 === 0 ? 320 : 340,
      incoming: n % 2 === 0 ? 280 : 300,
      walMb: 4,
      databaseMb: 10 + at * 8,
      oldestDueMs: 0,
      acksPerSecond: 100,
      ackP50: 8,
      ackP99: 60,
      readP99: 90,
    }
    for (const [name, value] of Object.entries(change)) flat[name as keyof Sample] = value(at)
    return flat
  })
const heaps = (heapMb: (at: number) => number = () => 55): HeapSample[] =>
  Array.from({ length: MINUTES * 2 }, (_, n) => ({ at: (n + 1) / 2, heapMb: heapMb((n + 1) / 2), externalMb: 3 }))
const WAITS = Array.from({ length: 1_000 }, (_, n) => n / 10)
const judge = (given: Partial<Parameters<typeof judgeSamples>[0]> = {}): SoakFigure[] =>
  judgeSamples({ samples: samples(), heaps: heaps(), acks: WAITS, reads: WAITS, starved: 0.02, ...given })
const faultsOf = (figures: SoakFigure[]) => figures.flatMap(({ fault }) => fault ?? [])

test('a server on which nothing grows passes, whatever its descriptors do from moment to moment', () => {
  const figures = judge()
  expect(faultsOf(figures)).toEqual([])
  expect(figures.filter(({ bar }) => bar !== undefined).map(({ met }) => met)).not.toContain(undefined)
})

test('a heap that grows by more than 1 MB a minute is a fault; what it grows while warming up is none', () => {
  expect(faultsOf(judge({ heaps: heaps((at) => 55 + 1.2 * at) }))).toEqual([
    'heap after garbage collection, growth: +1.20 MB/min, the bar is under 1 MB/min',
  ])
  expect(faultsOf(judge({ heaps: heaps((at) => (at < 5 ? 40 + 6 * at : 70)) }))).toEqual([])
})

test('descriptors that are never given back are a fault', () => {
  const leak = faultsOf(judge({ samples: samples({ descriptors: (at) => 320 + at, incoming: () => 290 }) }))
  expect(leak.map((one) => one.split(',')[0])).toEqual(['open descriptors without incoming connections'])
  const kept = samples({ descriptors: (at) => 320 + 4 * at, incoming: (at) => 290 + 4 * at })
  expect(faultsOf(judge({ samples: kept })).map((one) => one.split(',')[0])).toEqual(['open descriptors in all'])
})

test('a log that is never written back is a fault twice: it grows, and it passes its limit', () => {
  const faults = faultsOf(judge({ samples: samples({ walMb: (at) => 4 + 3 * at }) }))
  expect(faults.map((one) => one.split(':')[0])).toEqual(['write-ahead log, growth', 'write-ahead log, most'])
})

test('people who wait for more than a second, and deliveries that stay behind, are faults', () => {
  const slow = WAITS.map((ms) => ms * 20)
  expect(faultsOf(judge({ acks: slow })).map((one) => one.split(':')[0])).toEqual(['acknowledged after, p99'])
  expect(faultsOf(judge({ reads: slow })).map((one) => one.split(':')[0])).toEqual(['pages and calls of people, p99'])
  const behind = faultsOf(judge({ samples: samples({ oldestDueMs: () => 9_000 }) }))
  expect(behind[0]).toContain('oldest due delivery')
})

test('on a machine that others keep busy, a wait that is missed says whose it may be', () => {
  const slow = WAITS.map((ms) => ms * 20)
  expect(faultsOf(judge({ acks: slow, starved: 0.83 }))).toEqual([
    'acknowledged after, p99: 1980 ms, the bar is under 1000 ms; for 83 % of the time the server wanted to run and others had the processors, so this cannot tell',
  ])
})

test('connections to a port are found in the table of the system, the one that listens is none', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 111 1 0',
    '   1: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 222 1 0',
    '   2: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 333 1 0',
  ].join('\n')
  expect([...connectionsTo(8080, table)]).toEqual(['socket:[222]'])
})

test('a run of seconds is not judged by how things grow', () => {
  const short = samples().slice(0, 12)
  const growth = judge({ samples: short, heaps: heaps((at) => 55 + 9 * at).slice(0, 2) }).filter(({ name }) =>
    /growth|descriptors/.test(name),
  )
  expect(growth.map(({ met }) => met)).toEqual([undefined, undefined, undefined, undefined, undefined])
})

test('a sample without an acknowledgement leaves a gap in the picture, no point at nothing', () => {
  const charts = soakCharts(samples({ ackP99: (at) => (at < 1 ? Number.NaN : 60) }), heaps())
  const [p99] = charts.find(({ id }) => id === 'acknowledged')?.lines ?? []
  expect(p99?.points[0]?.[0]).toBeGreaterThanOrEqual(1)
})

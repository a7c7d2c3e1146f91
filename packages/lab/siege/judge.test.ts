import { expect, test } from 'vitest'
import { judgeSiege, type SiegeSeen } from './judge.ts'

const hundred = (ms: number) => Array.from({ length: 100 }, () => ms)
const GOOD: SiegeSeen = {
  quiet: hundred(10),
  besieged: hundred(30),
  refused: new Map(),
  undelivered: 0,
  pages: { answered: 5, unanswered: 0, waits: hundred(40) },
  peakMb: 300,
  ended: null,
  breaches: [],
}
const faults = (over: Partial<SiegeSeen>) => judgeSiege({ ...GOOD, ...over }).flatMap(({ fault }) => fault ?? [])

test('a siege that nobody noticed has no fault', () => {
  expect(faults({})).toEqual([])
  expect(judgeSiege(GOOD).filter(({ met }) => met !== undefined)).toHaveLength(8)
})

test.each<[string, Partial<SiegeSeen>]>([
  ['p99 is 3.1 times the quiet one', { besieged: hundred(31) }],
  ['2 ordinary events were refused or cut off: 2 × 503', { refused: new Map([['503', 2]]) }],
  ['1 acknowledged events never arrived', { undelivered: 1 }],
  ['1 pages were not answered', { pages: { ...GOOD.pages, unanswered: 1 } }],
  ['no page was answered', { pages: { answered: 0, unanswered: 0, waits: [] } }],
  ['the process held 512 MB, the image has 512', { peakMb: 512 }],
  ['the process ended: code 79', { ended: 'code 79' }],
  ['a script', { breaches: ['a script'] }],
])('%s: a fault', (fault, over) => {
  expect(faults(over)).toEqual([fault])
})

test('a server that acknowledged nothing any more did not hold', () => {
  expect(faults({ besieged: [] })).toHaveLength(1)
})

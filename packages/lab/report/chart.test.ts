import { expect, test } from 'vitest'
import { chartSvg, ticksUpTo } from './chart.ts'
import type { BarChart, LineChart } from './figures.ts'

const MEMORY: LineChart = {
  kind: 'lines',
  id: 'memory',
  title: 'Memory <of the server>',
  says: 'Resident memory & heap over time.',
  x: { name: 'time', unit: 'min' },
  y: { name: 'memory', unit: 'MB' },
  lines: [
    { name: 'resident', points: [1, 10, 20, 30].map((at) => [at, 180 + at]) },
    { name: 'heap', points: [1, 10, 20, 30].map((at) => [at, 55]) },
  ],
  bar: { name: 'bar 250 MB', value: 250 },
}
const ADDED: BarChart = {
  kind: 'bars',
  id: 'added',
  title: 'Added delay',
  says: 'For each scenario.',
  x: { name: 'added at p99', unit: 'ms' },
  bars: [
    { name: '1 of 200 hangs', value: 3.25 },
    { name: 'one account floods', value: 41 },
  ],
}

test('ticks are round numbers from 0 to just above the most', () => {
  expect(ticksUpTo(211, 5)).toEqual([0, 50, 100, 150, 200, 250])
  expect(ticksUpTo(30, 8)).toEqual([0, 5, 10, 15, 20, 25, 30])
  expect(ticksUpTo(0.42, 5)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5])
  expect(ticksUpTo(0, 5)).toEqual([0, 1])
  expect(ticksUpTo(Number.NaN, 5)).toEqual([0, 1])
})

test('a picture has a title and a description for who does not see it, with nothing in it that is not text', () => {
  const svg = chartSvg(MEMORY, 'proof-soak-memory')
  expect(svg).toContain('role="img" aria-labelledby="proof-soak-memory-title proof-soak-memory-desc"')
  expect(svg).toContain('<title id="proof-soak-memory-title">Memory &lt;of the server&gt;</title>')
  expect(svg).toContain('<desc id="proof-soak-memory-desc">Resident memory &amp; heap over time.</desc>')
  expect(svg).not.toContain('NaN')
})

test('axes carry their units, lines differ by more than colour, the bar has its name', () => {
  const svg = chartSvg(MEMORY, 'm')
  for (const words of ['time, min', 'memory, MB', 'resident', 'heap', 'bar 250 MB']) expect(svg).toContain(`>${words}<`)
  expect(svg.match(/<path d="M[\d.]+ [\d.]+L/g)).toHaveLength(2)
  expect(svg.match(/<path [^>]*stroke-dasharray="7 3"/g)).toHaveLength(1)
})

test('the last point stands at the right edge, and a bar far above everything is left to the table', () => {
  const svg = chartSvg({ ...MEMORY, bar: { name: 'bar 5000 MB', value: 5_000 } }, 'm')
  expect(svg).not.toContain('bar 5000 MB')
  expect(svg).toMatch(/L736 [\d.]+"/)
})

test('bars stand beside their names and figures', () => {
  const svg = chartSvg(ADDED, 'a')
  for (const words of ['1 of 200 hangs', '3.25 ms', '41 ms', 'added at p99, ms']) expect(svg).toContain(`>${words}<`)
  const widths = [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width))
  expect(widths).toHaveLength(2)
  expect((widths[1] ?? 0) / (widths[0] ?? 1)).toBeCloseTo(41 / 3.25, 0)
})

test('a picture without a single point is empty, not broken', () => {
  expect(chartSvg({ ...MEMORY, lines: [{ name: 'resident', points: [] }] }, 'e')).not.toMatch(/NaN|Infinity/)
})

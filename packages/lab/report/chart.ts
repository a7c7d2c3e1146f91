// Charts for docs/proof.md: SVG text from figures. Colours are readable on a white and on a dark page; every line also
// has its own dashes.
import type { BarChart, Chart, LineChart } from './figures.ts'

const WIDTH = 760
const HEIGHT = 340
const PLOT = { left: 66, right: 24, top: 72, bottom: 52 }
const ROW = 32
/** In a bar chart: space for the names, and for the figure behind the longest bar. */
const NAMES = 290
const VALUES = 90

const INK = '#6e7781'
const GRID = '#8c959f'
const LIMIT = '#cf4a4a'
const LINES = [
  { colour: '#388bfd', dashes: '' },
  { colour: '#d4721f', dashes: '7 3' },
  { colour: '#2da44e', dashes: '2 3' },
  { colour: '#a475f9', dashes: '9 3 2 3' },
] as const

/** @param id part of the ids inside, so that one page can contain several charts */
export function chartSvg(chart: Chart, id: string): string {
  return chart.kind === 'bars' ? barsSvg(chart, id) : linesSvg(chart, id)
}

function linesSvg(chart: LineChart, id: string): string {
  const points = chart.lines.flatMap((line) => line.points)
  const limit = shownLimit(chart.bar, Math.max(0, ...points.map(([, y]) => y)))
  const xs = ticksUpTo(Math.max(0, ...points.map(([x]) => x)), 8)
  const ys = ticksUpTo(Math.max(0, limit?.value ?? 0, ...points.map(([, y]) => y)), 5)
  const [right, bottom] = [WIDTH - PLOT.right, HEIGHT - PLOT.bottom]
  // The chart ends where the data ends; only the height is rounded up.
  const lastX = Math.max(...points.map(([x]) => x), Number.MIN_VALUE)
  const lastY = ys.at(-1) || 1
  const atX = (x: number) => digits(PLOT.left + (x / lastX) * (right - PLOT.left))
  const atY = (y: number) => digits(bottom - (y / lastY) * (bottom - PLOT.top))
  const parts = [
    ...ys.map(
      (y) =>
        `<line x1="${PLOT.left}" y1="${atY(y)}" x2="${right}" y2="${atY(y)}" stroke="${GRID}" stroke-opacity="0.3"/>` +
        text(PLOT.left - 8, atY(y) + 4, tickWords(y, ys), 'end'),
    ),
    ...xs
      .filter((x) => x <= lastX)
      .map(
        (x) =>
          `<line x1="${atX(x)}" y1="${bottom}" x2="${atX(x)}" y2="${bottom + 5}" stroke="${GRID}"/>` +
          text(atX(x), bottom + 19, tickWords(x, xs), 'middle'),
      ),
    `<path d="M${PLOT.left} ${PLOT.top}V${bottom}H${right}" fill="none" stroke="${GRID}"/>`,
    text((PLOT.left + right) / 2, HEIGHT - 12, axisWords(chart.x), 'middle'),
    text(PLOT.left, PLOT.top - 10, axisWords(chart.y), 'start'),
    ...chart.lines.map((line, n) => {
      const { colour, dashes } = styleOf(n)
      const path = line.points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${atX(x)} ${atY(y)}`).join('')
      return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.8" stroke-linejoin="round"${dashesOf(dashes)}/>`
    }),
    ...(limit
      ? [
          `<line x1="${PLOT.left}" y1="${atY(limit.value)}" x2="${right}" y2="${atY(limit.value)}" stroke="${LIMIT}" stroke-width="1.5" stroke-dasharray="10 4"/>`,
          text(right, atY(limit.value) - 5, limit.name, 'end', LIMIT),
        ]
      : []),
    ...legend(chart),
  ]
  return svg(chart, id, HEIGHT, parts)
}

/** Names of the lines with a sample of each, on the right below the title. */
function legend(chart: LineChart): string[] {
  let x = WIDTH - PLOT.right
  const parts: string[] = []
  for (const [n, line] of [...chart.lines.entries()].reverse()) {
    const { colour, dashes } = styleOf(n)
    parts.push(text(x, 52, line.name, 'end'))
    x -= line.name.length * 6.6 + 8
    parts.push(
      `<line x1="${digits(x - 26)}" y1="48" x2="${digits(x)}" y2="48" stroke="${colour}" stroke-width="2.5"${dashesOf(dashes)}/>`,
    )
    x -= 44
  }
  return parts
}

function barsSvg(chart: BarChart, id: string): string {
  const limit = shownLimit(chart.bar, Math.max(0, ...chart.bars.map(({ value }) => value)))
  const xs = ticksUpTo(Math.max(0, limit?.value ?? 0, ...chart.bars.map(({ value }) => value)), 5)
  const height = 56 + chart.bars.length * ROW + 52
  const [left, right, bottom] = [NAMES, WIDTH - VALUES, height - 48]
  const last = xs.at(-1) || 1
  const atX = (value: number) => digits(left + (value / last) * (right - left))
  const parts = [
    ...xs.map(
      (x) =>
        `<line x1="${atX(x)}" y1="48" x2="${atX(x)}" y2="${bottom}" stroke="${GRID}" stroke-opacity="0.3"/>` +
        text(atX(x), bottom + 17, tickWords(x, xs), 'middle'),
    ),
    ...chart.bars.map(({ name, value }, n) => {
      const y = 56 + n * ROW
      const width = digits(Math.max(1, atX(value) - left))
      return (
        text(left - 10, y + 15, name, 'end') +
        `<rect x="${left}" y="${y}" width="${width}" height="20" fill="${LINES[0].colour}"/>` +
        text(left + width + 6, y + 15, valueText(value, chart.x.unit), 'start')
      )
    }),
    `<path d="M${left} 48V${bottom}H${right}" fill="none" stroke="${GRID}"/>`,
    text((left + right) / 2, height - 10, axisWords(chart.x), 'middle'),
    ...(limit
      ? [
          `<line x1="${atX(limit.value)}" y1="44" x2="${atX(limit.value)}" y2="${bottom}" stroke="${LIMIT}" stroke-width="1.5" stroke-dasharray="10 4"/>`,
          text(atX(limit.value), 40, limit.name, 'middle', LIMIT),
        ]
      : []),
  ]
  return svg(chart, id, height, parts)
}

function svg(chart: Chart, id: string, height: number, parts: string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="${id}-title ${id}-desc" font-family="system-ui, sans-serif" font-size="12">`,
    `<title id="${id}-title">${escaped(chart.title)}</title>`,
    `<desc id="${id}-desc">${escaped(chart.says)}</desc>`,
    `<text x="${chart.kind === 'bars' ? 16 : PLOT.left}" y="24" font-size="15" font-weight="600" fill="${INK}">${escaped(chart.title)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

/** A limit far above the data would flatten the lines: then only the table shows it. */
function shownLimit(limit: Chart['bar'], most: number): Chart['bar'] {
  return limit && limit.value <= most * 3 ? limit : undefined
}

/** Round numbers from 0 to `most` or the next above it, about this many. */
export function ticksUpTo(most: number, about: number): number[] {
  if (!(most > 0)) return [0, 1]
  const rough = most / about
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5].find((one) => one * power >= rough) ?? 10) * power
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, n) => Number((n * step).toPrecision(12)))
}

function tickWords(value: number, ticks: readonly number[]): string {
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0)
  const places = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step)))
  return value.toLocaleString('en-GB', { minimumFractionDigits: places, maximumFractionDigits: places })
}

function valueText(value: number, unit: string): string {
  const places = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${value.toLocaleString('en-GB', { maximumFractionDigits: places })}${unit && ` ${unit}`}`
}

function axisWords({ name, unit }: { name: string; unit: string }): string {
  return unit && unit !== name ? `${name}, ${unit}` : name
}

function text(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end', colour: string = INK): string {
  return `<text x="${digits(x)}" y="${digits(y)}" text-anchor="${anchor}" fill="${colour}">${escaped(words)}</text>`
}

function styleOf(n: number): (typeof LINES)[number] {
  return LINES[n % LINES.length] ?? LINES[0]
}

function dashesOf(dashes: string): string {
  return dashes && ` stroke-dasharray="${dashes}"`
}

function digits(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

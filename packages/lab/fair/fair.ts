// Does another account's broken server delay healthy ones? Prints the latency of healthy addresses while others hang or
// flood, and exits with 1 when it exceeds that of a quiet run by more than the bar.
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Chart, commandLine, recordFigures } from '../report/figures.ts'
import { keepFigures } from '../report/kept-figures.ts'
import { describeMachine } from '../report/machine.server.ts'
import { ACCOUNTS, ENDPOINTS, type Measured, measure, type Scenario, TIMEOUT_MS } from './measure.server.ts'
import { serveReceivers, startReceivers } from './receivers.ts'

/** ms of extra latency that others may cause for a healthy address, at p99. */
const BAR = 100

const SCENARIOS: Scenario[] = [
  // Shares of events as in the design's table: more than their even share, or hardly any event would reach them.
  { name: '1 of 200 hangs (20 % of events)', hanging: 1, share: 0.2 },
  { name: '20 of 200 hang (28 % of events)', hanging: 20, share: 0.28 },
  { name: '60 of 200 hang (30 % of events)', hanging: 60 },
  { name: '60 of 200 fall silent under load', hanging: 60, from: 0.25 },
  { name: '60 of 200 hang, all on one origin', hanging: 60, oneOrigin: true },
]

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '300' },
    flood: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    receivers: { type: 'boolean', default: false },
  },
})

if (values.receivers) serveReceivers()
else await main()

async function main(): Promise<void> {
  const load = { rate: positive(values.rate), seconds: positive(values.seconds), seed: positive(values.seed) }
  const times = positive(values.flood)
  const flood = {
    name: `one account floods (${times} times the others)`,
    hanging: 0,
    flood: { times, answersAfterMs: 300 },
  }
  const busy = () =>
    loadavg()
      .map((value) => value.toFixed(1))
      .join(' ')

  console.log(`Fairness\n${describeMachine()}, load ${busy()}`)
  console.log(
    `${load.rate} events/s for ${load.seconds} s over ${ENDPOINTS} addresses of ${ACCOUNTS} accounts; who hangs costs ${TIMEOUT_MS / 1000} s; seed ${load.seed}`,
  )
  const started = performance.now()
  const receivers = await startReceivers(ENDPOINTS)
  const faults: string[] = []
  const found: Measured[] = []
  try {
    console.log(`\n${header()}`)
    const baseline = await measure({ name: 'nobody misbehaves', hanging: 0 }, load, receivers)
    console.log(row(baseline, baseline))
    found.push(baseline)
    if (baseline.delivered < baseline.expected) {
      faults.push(`baseline: ${baseline.delivered} of ${baseline.expected} delivered`)
    }
    if (baseline.p99 > BAR) {
      faults.push(
        `baseline: ${baseline.p99.toFixed(1)} ms (p99) though nobody misbehaves; this machine is too busy to tell`,
      )
    }
    for (const scenario of [...SCENARIOS, flood]) {
      const measured = await measure(scenario, load, receivers)
      console.log(row(measured, baseline))
      found.push(measured)
      faults.push(...missedBy(measured, baseline))
    }
  } finally {
    receivers.close()
  }
  console.log(
    `\nDelay of healthy addresses from "accepted" to "arrived", ms; bar: added p99 at most ${BAR} ms, all delivered once`,
  )
  console.log(`Load at the end: ${busy()}`)
  console.log(
    `\n${faults.length === 0 ? 'PASSED' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  )
  for (const fault of faults) console.log(`  ${fault}`)
  process.exitCode = faults.length === 0 ? 0 : 1
  record(found, faults, { ...load, flood: times })
}

/** One group of figures for each scenario, and a chart of the extra latency for healthy addresses. */
function record(found: Measured[], faults: string[], asked: Record<string, number>): void {
  const { figures, group, keep } = keepFigures()
  const [baseline] = found
  if (!baseline) return
  const ms = (value: number) => `${value.toFixed(1)} ms`
  for (const one of found) {
    group(one.name)
    const complete = one.delivered === one.expected && one.duplicates === 0
    keep('delivered to healthy addresses', `${one.delivered} of ${one.expected}`, {
      bar: 'all, once',
      met: complete,
    })
    keep('delay of healthy addresses, p50 / p99 / max', [one.p50, one.p99, one.worst].map(ms).join(' / '))
    if (one === baseline) keep('p99 in the quiet run', ms(one.p99), { bar: `at most ${BAR} ms`, met: one.p99 <= BAR })
    else {
      const added = one.p99 - baseline.p99
      keep('added by the others, p99', ms(added), { bar: `at most ${BAR} ms`, met: added <= BAR })
    }
    keep('acknowledged after, p99', ms(one.acknowledgedP99))
  }
  const chart: Chart = {
    id: 'added',
    title: 'What others add to the delay of healthy addresses',
    says: `For each of ${found.length - 1} scenarios the p99 of the delay of healthy addresses, less that of the quiet run.`,
    kind: 'bars',
    x: { name: 'added at p99', unit: 'ms' },
    bars: found.slice(1).map((one) => ({ name: one.name, value: Math.max(0, one.p99 - baseline.p99) })),
    bar: { name: `bar ${BAR} ms`, value: BAR },
  }
  recordFigures('fair', { command: commandLine('prove:fair', asked), figures, faults, charts: [chart] })
}

function positive(text: string): number {
  const number = Number(text)
  if (number > 0) return number
  console.error('Usage: prove:fair [--seconds 20] [--rate 300] [--flood 10] [--seed 1]')
  process.exit(2)
}

function missedBy(measured: Measured, baseline: Measured): string[] {
  const { name, expected, delivered, duplicates } = measured
  const added = measured.p99 - baseline.p99
  return [
    ...(delivered < expected ? [`${name}: ${delivered} of ${expected} delivered to healthy addresses`] : []),
    ...(duplicates > 0 ? [`${name}: ${duplicates} arrived twice`] : []),
    ...(added > BAR ? [`${name}: healthy addresses wait ${added.toFixed(1)} ms longer (p99), the bar is ${BAR}`] : []),
  ]
}

function header(): string {
  return columns(
    '',
    'delivered/expected',
    'p50',
    'p99',
    'max',
    'added p50',
    'added p99',
    'accept p99',
    'own lag p99',
    'receivers',
  )
}

function row(measured: Measured, baseline: Measured): string {
  const ms = (value: number) => value.toFixed(1)
  return columns(
    measured.name,
    `${measured.delivered}/${measured.expected}`,
    ms(measured.p50),
    ms(measured.p99),
    ms(measured.worst),
    ms(measured.p50 - baseline.p50),
    ms(measured.p99 - baseline.p99),
    ms(measured.acknowledgedP99),
    ms(measured.engineLagP99),
    ms(measured.receiverLagP99),
  )
}

function columns(name: string, ...cells: string[]): string {
  return `  ${name.padEnd(40)}${cells.map((cell, n) => cell.padStart(n === 0 ? 19 : 12)).join('')}`
}

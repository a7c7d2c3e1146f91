// Simulated weeks, seed after seed. Exits with 1 when one is judged wrong, or when the judge misses a safeguard that is gone.
import { parseArgs } from 'node:util'
import { simulatedWeek, type WeekFinding } from '#tests/support/simulated-week.server.ts'
import { none, proofReport } from '../report/report.ts'

/** Finds both sabotages. */
const SABOTAGED_SEED = 3

const USAGE = 'Usage: npm run prove:weeks -- [--weeks 100] [--from 1]'

function readAsked(): { weeks: number; from: number } {
  const { values } = parseArgs({ options: { weeks: { type: 'string' }, from: { type: 'string' } } })
  const [weeks, from] = [values.weeks ?? '100', values.from ?? '1'].map(Number)
  if (Number.isInteger(weeks) && Number.isInteger(from) && Number(weeks) >= 1 && Number(from) >= 1) {
    return { weeks: Number(weeks), from: Number(from) }
  }
  throw new Error('Weeks and seeds are whole numbers from 1.')
}

/** @throws Error when an argument is wrong */
async function main(): Promise<void> {
  const { weeks, from } = readAsked()
  const report = proofReport('Simulated weeks', { weeks, from }, { name: 'weeks', script: 'prove:weeks' })
  report.section('with all safeguards')
  const found: WeekFinding[] = []
  const wrong: number[] = []
  for (let seed = from; seed < from + weeks; seed += 1) {
    const week = await simulatedWeek({ seed })
    found.push(week)
    if (week.violations.length > 0) {
      wrong.push(seed)
      console.log([...week.trail, `Seed ${seed}:`, ...week.violations].join('\n'))
    }
  }
  const sum = (of: (week: WeekFinding) => number) => found.reduce((total, week) => total + of(week), 0)
  report.line('weeks', weeks)
  report.line(
    'events told / dropped / repeated',
    [sum(({ events }) => events.told), sum(({ events }) => events.dropped), sum(({ events }) => events.repeated)].join(
      ' / ',
    ),
  )
  report.line('runs / messages to customers', `${sum(({ runs }) => runs)} / ${sum(({ messages }) => messages)}`)
  report.line(
    'messages that a person has to settle',
    sum(({ unclear }) => unclear),
  )
  report.line('weeks in which something was missed, repeated or not wanted', wrong.length, none(wrong.length))
  report.must(wrong.length === 0, `wrong: seeds ${wrong.join(', ')}`)
  for (const sabotage of ['ledger', 'sweep'] as const) {
    report.section(`control: without the ${sabotage}`)
    const { violations } = await simulatedWeek({ seed: SABOTAGED_SEED, sabotage })
    report.line('violations', violations.length, { bar: 'more than 0', met: violations.length > 0 })
    report.must(violations.length > 0, `the judge does not notice that the ${sabotage} is gone`)
  }
  report.end()
}

try {
  await main()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
  process.exitCode = 2
}

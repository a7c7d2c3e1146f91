// Prints what simulated weeks with answering customers showed. Exits with 1 when a figure misses its bar.
import { readProofArguments } from '../report/arguments.ts'
import { none, proofReport } from '../report/report.ts'
import type { WeekFinding } from './types.ts'
import { listeningWeek } from './weeks.server.ts'

/** Of ten minutes on average: seven days. */
const STEPS = 1_000
/** Weeks of the control. */
const CONTROLS = 2

const { rounds, seed } = readProofArguments({ rounds: 20, rate: 1 })
const { section, line, must, end } = proofReport(
  'Listening',
  { weeks: rounds, seed },
  { name: 'listening', script: 'prove:listening', options: { rounds, seed } },
)

const BARS = [
  ['messages after an answer that could be read 5 s before', 'afterAnswer'],
  ['messages sent more than once', 'repeated'],
  ['receipts that the sandbox does not confirm', 'falseReceipts'],
  ['looks that cost more than one call', 'dearLooks'],
  ['answers that were never read', 'lostAnswers'],
  ['staff messages sent more than once', 'toldTwice'],
] as const satisfies readonly (readonly [string, keyof WeekFinding])[]
const FACTS = ['messages', 'answers', 'receipts', 'deaths', 'calls'] as const satisfies readonly (keyof WeekFinding)[]

section('rows lost, late and doubled, a clock that is off, permissions that come and go, processes that end')
const weeks: WeekFinding[] = []
for (let week = 0; week < rounds; week++) {
  const found = await listeningWeek({ seed: seed + week, steps: STEPS })
  weeks.push(found)
  for (const wrong of found.wrong) line(`week ${seed + week}`, wrong)
}
const sum = (name: Exclude<keyof WeekFinding, 'wrong'>) => weeks.reduce((all, week) => all + week[name], 0)
for (const name of FACTS) line(name, sum(name))
for (const [words, name] of BARS) {
  line(words, sum(name), none(sum(name)))
  must(sum(name) === 0, `${words}: ${sum(name)}`)
}

section('the control: messages leave without a last look')
let chased = 0
for (let week = 0; week < CONTROLS; week++) {
  chased += (await listeningWeek({ seed: seed + week, steps: STEPS, withoutLastLook: true })).afterAnswer
}
line('messages after an answer', chased, { bar: 'at least 1', met: chased > 0 })
must(chased > 0, 'the control chased nobody, so the weeks show nothing')
end()

// Sends wrong input to every call. Prints what broke, with the seed that repeats it; exits with 1 when something did.
import { parseArgs } from 'node:util'
import { commandLine, type Figure, recordFigures } from '../report/figures.ts'
import { describeMachine } from '../report/machine.server.ts'
import { FUZZ_BAR, fuzz } from './wrong-calls.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, each: { type: 'string', default: '60' } },
})
const seed = Number(values.seed)
console.log(`Wrong input\n${describeMachine()}\nseed ${seed}, ${values.each} of each kind for each call\n`)
const found = await fuzz({ seed, each: Number(values.each) })
console.log(`calls           ${found.calls}`)
console.log(`broken          ${found.broken.length}`)
for (const line of found.broken.slice(0, 40)) console.log(`  ${line}`)
console.log(`log complaints  ${found.complaints.length}`)
for (const line of found.complaints.slice(0, 20)) console.log(`  ${line.slice(0, 300)}`)
console.log('what cost most, ms of the processor')
for (const { call, ms } of found.slowest) console.log(`  ${ms.toFixed(1).padStart(8)} ms  ${call}`)
const still = found.judged.filter(({ leastMs }) => leastMs > FUZZ_BAR).length
console.log(`over ${FUZZ_BAR} ms       ${found.judged.length} sent again by themselves, ${still} still over it`)
for (const line of found.tooSlow) console.log(`  ${line.slice(0, 300)}`)
const failed = found.broken.length + found.complaints.length + still > 0
console.log(failed ? `\nFAILED (repeat with --seed ${seed})` : '\nPASSED')
process.exitCode = failed ? 1 : 0
const none = (count: number): Pick<Figure, 'bar' | 'met'> => ({ bar: '0', met: count === 0 })
recordFigures('fuzz', {
  command: commandLine('fuzz', { seed, each: values.each }),
  faults: [...found.broken, ...found.complaints, ...found.tooSlow].map((one) => one.slice(0, 200)),
  figures: [
    { name: 'calls', value: found.calls },
    {
      name: 'answers of 500 and above, and broken connections',
      value: found.broken.length,
      ...none(found.broken.length),
    },
    { name: `over ${FUZZ_BAR} ms by what they are`, value: still, ...none(still) },
    { name: 'complaints in the log', value: found.complaints.length, ...none(found.complaints.length) },
    ...found.slowest.map(({ call, ms }) => ({
      name: `among the slowest: ${call}`,
      value: Math.round(ms),
      unit: 'ms',
    })),
  ],
})

// Wrong input to every call, as much as is asked for. Prints what broke, with the seed that repeats it; ends with 1 when something did.
import { parseArgs } from 'node:util'
import { fuzz } from '#tests/support/fuzz.ts'
import { describeMachine } from '#tests/support/machine.server.ts'

/** ms an answer may take, measured from outside on a machine with nothing else to do. */
const BAR = 50

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
console.log(`slowest (bar ${BAR} ms each)`)
for (const { call, ms } of found.slowest) console.log(`  ${ms.toFixed(1).padStart(8)} ms  ${call}`)
const failed = found.broken.length + found.complaints.length > 0
console.log(failed ? `\nFAILED (repeat with --seed ${seed})` : '\nPASSED')
process.exitCode = failed ? 1 : 0

// Tests every place that receives text with repeated pieces of our own grammars: does work grow faster than its input?
import { parseArgs } from 'node:util'
import { none, proofReport } from '../report/report.ts'
import { measureGrowth } from './run.ts'

const { values } = parseArgs({
  options: { only: { type: 'string' }, few: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const whole = !values.few
const report = proofReport(
  'Work that grows faster than its input',
  { inputs: whole ? 'all' : 'few', places: values.only ?? 'all' },
  {
    name: 'growth',
    script: 'prove:growth',
    options: { ...(values.only && { only: values.only }), ...(values.few && { few: true }) },
  },
)
let places = 0
const found = await measureGrowth(process.cwd(), {
  whole,
  only: values.only ?? null,
  onLine: ({ kind }) => {
    if (kind !== 'done') return
    places += 1
    if (places % 50 === 0) report.line('… places', places)
  },
})
report.section('At n, 2n and 4n, up to the limit of each place')
report.line('places where text comes in', found.places, { bar: 'more than 0', met: found.places > 0 })
report.line('inputs tried', found.trials)
report.line(
  'that grow faster than 2.5-fold per doubling, or take too long',
  found.faults.length,
  none(found.faults.length),
)
report.section('What costs most at its limit, ms of the processor')
for (const { name, ms, length } of found.slowest.slice(0, 10))
  report.line(`${name}, ${length} characters`, Math.round(ms))
report.must(found.places > 0, 'nothing was tried')
for (const { name, input, fault } of found.faults) report.must(false, `${name} with ${input}: ${fault}`)
report.end()

// Prints the results of the outbound guard's trials. Exits with 1 when a figure misses its bar.
import { runCorpus, runLiterals, runRebinding, type TrialResult } from '#tests/support/guard-trial.server.ts'
import { commandLine, type Figure, recordFigures } from '../report/figures.ts'
import { keepFigures } from '../report/kept-figures.ts'
import { describeMachine } from '../report/machine.server.ts'

const faults: string[] = []
const { figures, group, keep } = keepFigures()

function must(holds: boolean, fault: string) {
  if (!holds) faults.push(fault)
}

function line(label: string, value: string | number, bar?: Pick<Figure, 'bar' | 'met'>) {
  keep(label, value, bar)
  console.log(`  ${label.padEnd(52)}${value}`)
}

function section(title: string) {
  group(title)
  console.log(`\n${title}`)
}

function none(count: number) {
  return { bar: '0', met: count === 0 }
}

function report(title: string, control: string, result: TrialResult) {
  section(title)
  line('addresses tried', result.tried)
  line('refused', result.refused, { bar: 'all', met: result.refused === result.tried })
  line('sockets opened', result.socketsOpened.length, none(result.socketsOpened.length))
  line('canary hits', result.canaryHits, none(result.canaryHits))
  line(`control, ${control}: canary hits`, result.control.canaryHits, {
    bar: 'more than 0',
    met: result.control.canaryHits > 0,
  })
  must(result.refused === result.tried, `${title}: ${result.tried - result.refused} not refused`)
  must(result.socketsOpened.length === 0, `${title}: sockets to ${result.socketsOpened.join(', ')}`)
  must(result.canaryHits === 0, `${title}: the canary was reached`)
  must(result.control.canaryHits > 0, `${title}: the control did not reach the canary, so the trial shows nothing`)
  must(result.control.socketsOpened > 0, `${title}: the control opened no socket, so nobody was watching`)
}

console.log(`Address guard\n${describeMachine()}`)
const started = performance.now()

const corpus = await runCorpus()
section('Corpus: checked as when saved, then posted to through the real sender')
line('cases', corpus.cases)
line('agreed', corpus.agreed, { bar: 'all', met: corpus.agreed === corpus.cases })
line('sockets opened to refused addresses', corpus.socketsOpened.length, none(corpus.socketsOpened.length))
line('canary hits', corpus.canaryHits, none(corpus.canaryHits))
for (const one of corpus.disagreements) console.log(`  DISAGREES  ${one}`)
must(corpus.agreed === corpus.cases, `corpus: ${corpus.cases - corpus.agreed} disagree`)
must(corpus.socketsOpened.length === 0, `corpus: sockets to ${corpus.socketsOpened.join(', ')}`)
must(corpus.canaryHits === 0, 'corpus: the canary was reached')

report('IP addresses written in every way, over https and http', 'guard in the lookup only', await runLiterals())
report('Names that a real DNS server turns or mixes', 'check first, dial later', await runRebinding())

console.log(`\n${faults.length === 0 ? 'PASSED' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
for (const fault of faults) console.log(`  ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1
recordFigures('guard', { command: commandLine('prove:guard'), figures, faults })

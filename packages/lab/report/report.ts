// A proof's output: the machine, its settings, figures as lines, and a verdict that decides the exit code. The lines
// are also the figures that `--record` keeps.
import { type Chart, commandLine, type Figure, recordFigures } from './figures.ts'
import { describeMachine } from './machine.server.ts'

/** A figure's required value, in words, and whether it is met. */
export type Bar = { bar: string } & Pick<Figure, 'met'>

export interface ProofReport {
  section(title: string): void
  /** Prints a figure. A label that starts with "…" is progress and is not kept. */
  line(label: string, value: string | number, bar?: Bar): void
  /** Prints the fault, and makes the command fail, when the condition does not hold. */
  must(holds: boolean, fault: string): void
  /** Adds a chart to the page. */
  chart(chart: Chart): void
  /** Prints the verdict, records the figures if requested, and sets the exit code. */
  end(): void
}

/** The bar of most counts: zero. */
export function none(count: number): Bar {
  return { bar: '0', met: count === 0 }
}

/**
 * @param asked printed, and used in the command that repeats the proof
 * @param record `name` of its figures file, the npm script that creates it, and whether this run is only a part of it
 */
export function proofReport(
  title: string,
  asked: object,
  record: { name: string; script: string; options?: object; part?: boolean },
): ProofReport {
  // An interrupted proof leaves no server, file system or folder behind. Their creators clean up at "exit".
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code))
  const faults: string[] = []
  const figures: Figure[] = []
  const charts: Chart[] = []
  let group: string | undefined
  const began = performance.now()
  console.log(`${title}\n${describeMachine()}`)
  console.log(
    Object.entries(asked)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  )
  return {
    section(text) {
      group = text
      console.log(`\n${text}`)
    },
    line(label, value, bar) {
      console.log(`  ${label.padEnd(57)} ${value}${bar?.met === false ? `   (bar: ${bar.bar})` : ''}`)
      if (!label.startsWith('…')) figures.push({ name: label.trim(), value, ...bar, ...(group && { group }) })
    },
    must(holds, fault) {
      if (!holds) faults.push(fault)
    },
    chart: (chart) => void charts.push(chart),
    end() {
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      console.log(`\n${faults.length === 0 ? 'PASSED' : 'FAILED'} in ${seconds} s`)
      for (const fault of faults) console.log(`  ${fault}`)
      process.exitCode = faults.length === 0 ? 0 : 1
      recordFigures(record.name, {
        command: commandLine(record.script, { ...(record.options ?? asked) }),
        figures,
        faults,
        charts,
        ...(record.part && { part: true }),
      })
    },
  }
}

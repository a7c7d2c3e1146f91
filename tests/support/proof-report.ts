// What a proof prints: the machine, what it was asked to do, figures as lines, and a verdict that decides the exit code.
import { describeMachine } from './machine.server.ts'

export interface ProofReport {
  section(title: string): void
  line(label: string, value: string | number): void
  /** A bar: what is printed as a fault, and makes the command fail, when it does not hold. */
  must(holds: boolean, fault: string): void
  /** Prints the verdict and sets the exit code. */
  end(): void
}

export function proofReport(title: string, asked: object): ProofReport {
  // An interrupted proof leaves nothing behind: no server, no file system, no folder. What made them cleans up at "exit".
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code))
  const faults: string[] = []
  const began = performance.now()
  console.log(`${title}\n${describeMachine()}`)
  console.log(
    Object.entries(asked)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  )
  return {
    section: (text) => console.log(`\n${text}`),
    line: (label, value) => console.log(`  ${label.padEnd(58)}${value}`),
    must(holds, fault) {
      if (!holds) faults.push(fault)
    },
    end() {
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      console.log(`\n${faults.length === 0 ? 'PASSED' : 'FAILED'} in ${seconds} s`)
      for (const fault of faults) console.log(`  ${fault}`)
      process.exitCode = faults.length === 0 ? 0 : 1
    },
  }
}

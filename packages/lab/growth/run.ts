// Runs the growth trials in a separate process: nothing else shares its heap, and a hanging one can be ended and named.
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { bundleTs } from '../../../scripts/run-ts.mjs'
import type { Line, Order } from './child.ts'
import { functionsTakingText, pureModules } from './functions.ts'
import { whyOwnText } from './samples.ts'
import { isCallable } from './trials.ts'

export interface GrowthReport {
  /** Number of places that receive text, and of inputs tried there. */
  places: number
  trials: number
  faults: { name: string; input: string; fault: string }[]
  slowest: { name: string; input: string; ms: number; length: number }[]
  /** The command's own time, not the product's: how long each place took to test. */
  took: { name: string; ms: number }[]
}

/** A place that takes longer than this for one of its inputs hangs, ms. */
const HANGS_AFTER = 60_000

/**
 * @param asked.whole every unit of every grammar: minutes instead of seconds
 * @param asked.only places whose name contains it
 */
export async function measureGrowth(
  root: string,
  asked: { whole: boolean; only?: string | null; onLine?: (line: Line) => void },
): Promise<GrowthReport> {
  const functions = functionsTakingText(root).filter((one) => isCallable(one) && whyOwnText(one) === null)
  const bundle = await bundleTs('packages/lab/growth/child.ts', {
    instead: new Map([[join(root, 'packages/lab/growth/modules.ts'), modulesText(root)]]),
    name: 'growth-child',
  })
  const order: Order = { functions, whole: asked.whole, only: asked.only ?? null }
  return collect(bundle, order, asked.onLine)
}

function modulesText(root: string): string {
  const files = pureModules(root)
  const imports = files.map((file, n) => `import * as m${n} from '#${file}'`)
  return `${imports.join('\n')}\nexport const MODULES = { ${files.map((file, n) => `'${file}': m${n}`).join(', ')} }\n`
}

function collect(bundle: string, order: Order, onLine?: (line: Line) => void): Promise<GrowthReport> {
  const report: GrowthReport = { places: 0, trials: 0, faults: [], slowest: [], took: [] }
  // A large heap nursery, so that the collector seldom interferes.
  const child = fork(bundle, { execArgv: ['--max-semi-space-size=64'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return new Promise((resolve, reject) => {
    let at = 'the beginning'
    let watch = setTimeout(() => undefined, 0)
    const expect = () => {
      clearTimeout(watch)
      watch = setTimeout(() => {
        report.faults.push({
          name: at,
          input: 'one of its inputs',
          fault: `does not come back within ${HANGS_AFTER} ms`,
        })
        child.kill('SIGKILL')
      }, HANGS_AFTER)
    }
    child.on('message', (line: Line) => {
      expect()
      onLine?.(line)
      switch (line.kind) {
        case 'begins':
          at = line.name
          break
        case 'fault':
          report.faults.push({ name: line.name, input: line.input, fault: line.fault })
          break
        case 'slow':
          report.slowest.push({ name: line.name, input: line.input, ms: line.ms, length: line.length })
          break
        case 'done':
          report.places += 1
          report.trials += line.trials
          report.took.push({ name: line.name, ms: line.tookMs })
          break
        case 'end':
          clearTimeout(watch)
          report.slowest.sort((a, b) => b.ms - a.ms)
          resolve(report)
          break
      }
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(watch)
      if (report.faults.some(({ fault }) => fault.startsWith('does not come back'))) resolve(report)
      else reject(new Error(`the trials ended with ${code} at ${at}`))
    })
    expect()
    child.send(order)
  })
}

// The order of test files: what takes longest begins first, so that no process waits at the end for one that began late.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files of more than ten seconds, longest first. The runner knows them by itself only after a first run. */
const SLOW = [
  'app/boot/automation-weeks.test.ts',
  'tests/walks/cluster.test.ts',
  'tests/walks/seventy-two-hours.test.ts',
  'tests/walks/start-cluster.test.ts',
  'tests/walks/kill-and-restart.test.ts',
  'tests/walks/rule-controls.test.ts',
  'tests/walks/node.test.ts',
  'tests/walks/tenants.test.ts',
  'tests/walks/growth.test.ts',
  'tests/walks/crash.test.ts',
  'tests/walks/wrong-input.test.ts',
]

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = SLOW.findIndex((name) => moduleId.endsWith(name))
      return at < 0 ? SLOW.length : at
    }
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    return (await super.sort(files)).sort((a, b) => group(a) - group(b) || rank(a) - rank(b))
  }
}

import { expect, test } from 'vitest'
import { LAST_RUNS } from '#app/domain/automations/run-record.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { Connections } from './connections.ts'
import { activityStore } from './events/activity.server.ts'
import { runHistoryStore } from './runs/run-history.server.ts'

/** Connections that find nothing, and the rows that each walk asked for. */
function asking() {
  const windows: unknown[] = []
  const statement = {
    pluck: () => statement,
    // biome-ignore lint/correctness/useYield: a step that ends at once
    *all(values: object) {
      if ('window' in values) windows.push(values.window)
      return []
    },
  }
  const reader = {
    prepare: () => statement,
    read: (work: (...values: unknown[]) => Iterator<unknown>) => {
      return async (...values: unknown[]) => {
        const steps = work(...values)
        let step = steps.next()
        while (!step.done) step = steps.next(step.value)
        return step.value
      }
    },
    snapshot: () => async () => [],
    write: () => async () => undefined,
  }
  return { connections: { db: reader, reader } as unknown as Connections, windows }
}

test('a page since a moment reads the rows of that page only, as the export does: they come with their bodies', async () => {
  const { connections, windows } = asking()
  const page = { before: null, limit: 20, since: 5 }
  const log = { ...page, object: null, withBody: true, withResponses: true }
  const events = activityStore(connections, { now: () => 9 } as Clock)
  await events.listEventLog('one', { ...log, forwarding: 'all' })
  await events.listEventLog('one', { ...log, forwarding: 'failed' })
  const runs = runHistoryStore(connections)
  for (const automationId of [null, 7]) await runs.listRuns('one', { ...LAST_RUNS, ...page, automationId })
  await runs.listRuns('one', { ...LAST_RUNS, ...page, status: 'failure' })
  expect(windows).toEqual([20, 1_000, 20, 20, 500])
})

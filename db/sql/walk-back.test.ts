import { expect, test } from 'vitest'
import { LAST_RUNS } from '#app/domain/automations/run-record.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { Connections } from './connections.ts'
import { activityStore } from './events/activity.server.ts'
import { runHistoryStore } from './runs/run-history.server.ts'

/** Connections that have some rows and find nothing, and the rows that each walk asked for. */
function asking(rest = 0) {
  const windows: unknown[] = []
  const called: unknown[] = []
  const statement = {
    pluck: () => statement,
    *all({ window, before = 0, ...values }: { window?: number; before?: number; called?: string }) {
      if (window === undefined) return []
      windows.push(window)
      if (values.called !== undefined) called.push(values.called)
      const rows = Array.from({ length: Math.min(window, rest) }, (_, index) => ({ id: before - index - 1, hit: 0 }))
      rest -= rows.length
      return rows
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
  return { connections: { db: reader, reader } as unknown as Connections, windows, called }
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

test('runs since a moment with nothing more to find are searched in long steps after the first page', async () => {
  const { connections, windows } = asking(2_000)
  expect(await runHistoryStore(connections).listRuns('one', { ...LAST_RUNS, since: 5, limit: 26 })).toEqual([])
  expect(windows).toEqual([26, 500, 500, 500, 500])
})

test('a step of a search gets no records that its runs are not of, however many have the name', async () => {
  const { connections, called } = asking(200)
  const named = Array.from({ length: 10_000 }, (_, index) => `job-${index}`)
  await runHistoryStore(connections).listRuns('one', { ...LAST_RUNS, text: 'smith', called: named })
  expect(new Set(called)).toEqual(new Set(['[]']))
})

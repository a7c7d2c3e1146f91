// Assembles the run engine: the pump that takes due runs, the worker that executes them, and the check of paused rules.
import { randomUUID } from 'node:crypto'
import type { App } from '#app/context/app-context.ts'
import { heldByLease } from '#app/engine/lease.server.ts'
import { createRunPump, type RunLimits } from '#app/engine/run-pump.server.ts'
import type { Shares } from '#app/engine/shares.server.ts'
import { createSteadyLoop } from '#app/engine/steady-loop.server.ts'
import { createRunWorker } from '#app/features/automations/runs/run.server.ts'
import type { RunParts } from '#app/features/automations/runs/run-inputs.server.ts'
import { resumeRules } from '#app/features/automations/runs/run-pause.server.ts'
import { minutes } from '#app/lib/duration.ts'
import { isGone, processName } from './process-name.server.ts'

export interface AutomationEngineInput
  extends Pick<App, 'store' | 'clock' | 'log' | 'secrets' | 'settings' | 'callAsAccount'> {
  /** The actions, their effects, and the record reader. */
  parts: RunParts
  /** Identifies this start of the process. Default: random. */
  owner?: string
  limits?: Partial<RunLimits>
  /** Wraps the work on a run. Default: nothing. */
  around?: <T>(run: { id: number; account: string }, work: () => Promise<T>) => Promise<T>
  /** ms between lease renewals. */
  beatMs?: number
  /** Several instances work on the database. Default: one process at a time, by a lease. */
  shares?: Shares | null
}

export type AutomationEngine = ReturnType<typeof createAutomationEngine>

/** Time between checks whether a paused account answers again. */
const LOOK_AT_PAUSES = minutes(1)

/** How often to ask for a run that another instance works on. ms */
const ASK_AGAIN = 250

export function createAutomationEngine(input: AutomationEngineInput) {
  const { store, clock, log } = input
  const self = processName()
  const owner = `${self}|${input.owner ?? randomUUID()}`
  const work = createRunWorker(input, input.parts, owner)
  const waiting = new Map<number, Set<() => void>>()
  const { shares = null } = input

  function tell(runId: number): void {
    for (const done of waiting.get(runId) ?? []) done()
    waiting.delete(runId)
  }

  const pump = createRunPump({
    clock,
    log,
    ownership:
      shares?.ownership ??
      heldByLease({
        ...{ store: store.ops, clock, log, owner },
        isGone: (other) => isGone(other, self),
        ...(input.beatMs !== undefined && { beatMs: input.beatMs }),
      }),
    ...(shares && { beatsPerClaim: 1 }),
    ...(input.limits && { limits: input.limits }),
    ports: {
      async due(now, most) {
        const runs = await store.runs.dueRuns(now, most)
        return runs.map(({ id, accountUuid, recordUuids, begun }) => ({
          id,
          account: accountUuid,
          keys: recordUuids,
          begun,
        }))
      },
      nextDueAt: store.runs.nextRunDueAt,
      rest: (ids, until) => store.runs.restRuns(ids, owner, until),
      async work({ id, account }, goOn) {
        try {
          const working = () => work({ accountUuid: account, id }, goOn)
          return await (input.around ? input.around({ id, account }, working) : working())
        } finally {
          tell(id)
        }
      },
    },
  })

  const pauses = createSteadyLoop({
    name: 'automations.pauses',
    clock,
    log,
    async run() {
      if (await resumeRules(input)) pump.wake()
      return clock.now() + LOOK_AT_PAUSES
    },
  })

  return {
    /** New runs exist, or a person made a decision on one. */
    wake: pump.wake,
    /**
     * Resolves when the run has ended or waits, or after `limitMs`: for a person who waits for the result. The outcome is
     * in the store.
     */
    async whenSettled(accountUuid: string, runId: number, limitMs: number) {
      const told = new Promise<void>((resolve) => {
        const tellers = waiting.get(runId) ?? new Set()
        waiting.set(runId, tellers)
        const cancel = clock.wake(clock.now() + limitMs, () => {
          tellers.delete(settle)
          if (tellers.size === 0 && waiting.get(runId) === tellers) waiting.delete(runId)
          resolve()
        })
        const settle = () => {
          cancel()
          resolve()
        }
        tellers.add(settle)
      })
      // It may have ended before anyone listened, or at another instance; and no run of a held account starts.
      const isOver = async () => {
        const run = await store.runs.findRun(accountUuid, runId)
        return !run || run.accountHold || (run.state !== 'queued' && run.state !== 'running')
      }
      const ask = async () => {
        if (await isOver()) tell(runId)
        else if (shares && !shares.owns(accountUuid) && waiting.has(runId))
          clock.wake(clock.now() + ASK_AGAIN, () => void ask().catch(() => tell(runId)))
      }
      await ask()
      await told
    },
    status: pump.status,
    start() {
      pump.start()
      pauses.start()
    },
    beginDrain: pump.beginDrain,
    /** Waits for active runs to reach their next boundary (at most 15 s), releases the lease. */
    async drain() {
      pump.beginDrain()
      await pauses.stop()
      await pump.drain()
    },
    idle: pump.idle,
  }
}

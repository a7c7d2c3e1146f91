// The loops that trigger rules: changed records, scheduled rules, newly enabled rules, the sweep, and what customers
// received and answered. Two instances at
// once (an overlapping deploy) do no harm: only one of them can write the row of each firing.
import type { CallAsAccount } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import type { Shares } from '#app/engine/shares.server.ts'
import { createSteadyLoop } from '#app/engine/steady-loop.server.ts'
import { countedCalls } from '#app/features/accounts/call-as-account.server.ts'
import { createListener } from '#app/features/automations/listening/listener.server.ts'
import { createFactLoader, type FactLoader } from '#app/features/automations/records/load-facts.server.ts'
import { createBaseline, sweepDue } from '#app/features/automations/triggers/baseline.server.ts'
import { createEvaluator } from '#app/features/automations/triggers/evaluator.server.ts'
import { createPoller } from '#app/features/automations/triggers/poll.server.ts'
import { minutes, seconds } from '#app/lib/duration.ts'

export type AutomationTriggers = ReturnType<typeof createAutomationTriggers>

type TriggersApp = Pick<App, 'store' | 'clock' | 'log' | 'callAsAccount' | 'wakeRuns' | 'secrets' | 'settings'> & {
  facts: FactLoader
  /** Several instances work on the database; null = only this one. */
  shares?: Shares | null
}

export function createAutomationTriggers(input: TriggersApp) {
  const { clock, log } = input
  // Screens go first: background work leaves a reserve of the account's calls.
  const background: CallAsAccount = (accountUuid, call, options) =>
    input.callAsAccount(accountUuid, call, { ...options, priority: 'background' })
  const app: TriggersApp = { ...input, callAsAccount: countedCalls(background) }
  // Noting the baseline and finding what events missed is our maintenance, not the rule's work: it is free.
  const care: TriggersApp = {
    ...input,
    callAsAccount: background,
    facts: createFactLoader({ callAsAccount: background, clock }),
  }
  const poller = createPoller(app)
  const baseline = createBaseline(care)
  const inMs = (wait: number) => clock.now() + wait

  const evaluator = createEvaluator(app, (started) => {
    if (started > 0) app.wakeRuns()
    evaluations.wake()
  })
  /** What another instance has stored for our accounts is not told for sure. */
  const soon = (at: number | null) =>
    input.shares ? Math.min(at ?? Number.POSITIVE_INFINITY, inMs(seconds(input.shares.alone() ? 5 : 1))) : at
  const loop = (name: string, run: () => Promise<number | null>) =>
    createSteadyLoop({ name: `automation.${name}`, clock, log, run })
  const evaluations = loop('evaluate', async () => soon(await evaluator.round()))
  const polls = loop('polls', async () => {
    const { started, nextAt } = await poller.round()
    if (started > 0) app.wakeRuns()
    return Math.max(Math.min(nextAt ?? Number.POSITIVE_INFINITY, inMs(minutes(1))), inMs(seconds(1)))
  })
  const baselines = loop('baselines', async () =>
    Math.min((await baseline.round()).nextAt ?? Number.POSITIVE_INFINITY, inMs(minutes(5))),
  )
  const sweeps = loop('sweeps', async () => {
    const { found, more } = await sweepDue(care)
    if (found > 0) evaluations.wake()
    return more ? clock.now() : inMs(minutes(1))
  })
  const listener = createListener(care)
  const listens = loop('listening', async () => {
    const { moved, nextAt } = await listener.round()
    if (moved > 0) app.wakeRuns()
    return Math.min(nextAt ?? Number.POSITIVE_INFINITY, inMs(minutes(1)))
  })
  const loops = [evaluations, polls, baselines, sweeps, listens]
  const ownership = input.shares?.ownership({
    name: 'triggers',
    async onHeld(taken) {
      if (taken) for (const one of loops) one.wake()
    },
    // What two instances do at once for an account, only one of them can write.
    async giveUp() {},
  })

  return {
    /** A watched record has changed. */
    touched: evaluations.wake,
    /** A rule was created, changed, enabled or disabled. */
    rulesChanged() {
      baselines.wake()
      polls.wake()
      sweeps.wake()
    },
    start() {
      for (const one of loops) one.start()
      ownership?.start()
    },
    /** Resolves when all work has ended. */
    async stop() {
      await ownership?.release()
      await Promise.all(loops.map((one) => one.stop()))
      await evaluator.settled()
    },
  }
}

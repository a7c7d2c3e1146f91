// The background engines: deliveries, automation runs and their triggers; and what they share with screens.
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { signForward } from '#app/adapters/standard-webhooks.server.ts'
import type { Settings } from '#app/context/app-context.ts'
import { createShares } from '#app/engine/shares.server.ts'
import { createWorkApart, type WorkApartOptions } from '#app/engine/work-apart.server.ts'
import { countedCalls, createCallAsAccount } from '#app/features/accounts/call-as-account.server.ts'
import { createCallBudget } from '#app/features/accounts/call-budget.server.ts'
import { auditMessages } from '#app/features/audit/audited-messages.server.ts'
import { createCommitter } from '#app/features/automations/actions/commit/commit-effect.server.ts'
import { ACTIONS } from '#app/features/automations/actions/registry.server.ts'
import { createLastLook } from '#app/features/automations/listening/look.server.ts'
import { createFactCache } from '#app/features/automations/records/fact-cache.server.ts'
import type { Values } from '#app/features/automations/records/fact-rows.ts'
import { createFactLoader } from '#app/features/automations/records/load-facts.server.ts'
import { planDefaults } from '#app/features/automations/runs/plan-defaults.server.ts'
import { namesForPage } from '#app/features/events/record-names.server.ts'
import { createAutomationEngine } from './automation-engine.server.ts'
import { createAutomationTriggers } from './automation-triggers.server.ts'
import { createDeliveryEngine } from './delivery-engine.server.ts'
import { LONG_WORK } from './long-work.server.ts'
import type { Data, Ground } from './open-data.server.ts'
import type { Outside } from './outside.server.ts'
import { isGone, processName } from './process-name.server.ts'

export type Engines = ReturnType<typeof createEngines>

export function createEngines(
  { clock, observed }: Ground,
  { store, ownWork, callRows, secrets, space, cluster }: Data,
  { outbound, platformApi, oauth }: Outside,
  settings: Settings,
  thread: Omit<WorkApartOptions, 'onEnd'> | undefined,
  onGone: () => void,
) {
  const { log } = observed
  const self = processName()
  const shares =
    cluster &&
    createShares({
      ...{ cluster, clock, log, onGone },
      elapsed: () => performance.now(),
      isGone: (process) => isGone(process, self),
    })
  const own = { store: ownWork, clock, log, secrets, settings }
  const budget = createCallBudget({ store: ownWork.events, clock, log, callRows })
  const callAsAccount = createCallAsAccount({
    store: { ...ownWork.accounts, ...ownWork.events },
    ...{ clock, log, secrets, oauth, platformApi, budget, inTurn: ownWork.shared.inTurn },
  })
  const engine = createDeliveryEngine({
    ...own,
    outbound,
    space,
    shares,
    namesOf: namesForPage({ ...own, callAsAccount }),
    around: observed.deliver,
    owner: randomUUID(),
  })
  // Automations and screens share one cache; but screens do not wait for the reserve.
  const cache = createFactCache<Values[]>(clock)
  const facts = createFactLoader({ callAsAccount: countedCalls(callAsAccount), clock }, { cache })
  const defaults = planDefaults({ store, settings, outbound })
  const apart = createWorkApart(LONG_WORK, { file: null, ...thread, onEnd: observed.measures.longWorkEnded })
  const committer = observed.committer(
    auditMessages(own, createCommitter({ ...own, callAsAccount, outbound }, { sign: signForward })),
  )
  const runs = createAutomationEngine({
    ...own,
    callAsAccount,
    shares,
    around: observed.run,
    parts: { actions: ACTIONS, facts, defaults, apart, committer, lastLook: createLastLook({ ...own, callAsAccount }) },
  })
  const triggers = createAutomationTriggers({
    ...{ store: ownWork, clock, log, secrets, settings, callAsAccount, facts, shares },
    wakeRuns: runs.wake,
  })
  const planning = {
    actions: ACTIONS,
    facts: createFactLoader({ callAsAccount, clock }, { cache, priority: 'screen' }),
    defaults,
    apart,
  }
  return { engine, runs, triggers, budget, callAsAccount, apart, planning, shares }
}

// A manual rule, triggered by another program: the key in the address authenticates the call, there is no session.
import type { App } from '#app/context/app-context.ts'
import type { ManualTrigger } from '#app/domain/automations/rule.ts'
import type { RunRequest } from '#app/domain/automations/run.ts'
import { runReason, runReasonText } from '#app/domain/automations/run-reasons.ts'
import { planHoldText } from '#app/domain/plan-hold.ts'
import { dayText, momentText } from '#app/domain/time/moments.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import { occurrenceOfCall } from '../rules/timing/once.ts'
import { onceText } from '../rules/timing/once-text.ts'
import { collectedText, collectsUntil } from '../rules/timing/schedule.ts'
import { rememberUntil, runWish } from './evaluate.server.ts'
import type { TriggerBody } from './trigger-call.ts'

type TriggerApp = Pick<App, 'store' | 'clock' | 'log' | 'settings' | 'wakeRuns'>

/** How long a caller's idempotency key is remembered. */
const KEY_COUNTS = hours(24)

/** The rule of an address. Null for a wrong id or key and for a rule no longer manual, so strangers learn nothing. */
export async function findTriggered(
  app: Pick<App, 'store'>,
  id: number | null,
  key: string | null,
): Promise<AutomationRow | null> {
  if (id === null || key === null || !/^[\w-]{43}$/.test(key)) return null
  const rule = await app.store.automations.findAutomationByTriggerKey(hashToken(key))
  return rule?.id === id && rule.triggerSource === 'manual_endpoint' ? rule : null
}

const NO_SCHEDULE: ManualTrigger = { source: 'manual_endpoint' }

export type Triggered =
  /** `waits`: why the account's runs do not start at present. `doneBefore`: why the run does nothing. */
  | { outcome: 'accepted'; runId: number; repeated: boolean; waits: string | null; doneBefore?: string }
  /** The rule is switched off or stopped, or this key named another call; told only to callers with its key. */
  | { outcome: 'refused'; message: string }

/** The run reads the record when it starts, so the caller's answer does not wait for the platform. */
export async function triggerRule(
  app: TriggerApp,
  rule: AutomationRow,
  body: TriggerBody,
  idempotencyKey: string | null,
): Promise<Triggered> {
  if (!rule.active) return { outcome: 'refused', message: 'This automation is switched off.' }
  if (rule.pausedReason !== null)
    return { outcome: 'refused', message: `This automation is stopped. ${runReasonText(rule.pausedReason)}` }
  const now = app.clock.now()
  const { definition } = rule
  const trigger = definition.trigger.source === 'manual_endpoint' ? definition.trigger : NO_SCHEDULE
  const zone = (await app.store.accounts.findAccount(rule.accountUuid))?.timezone ?? 'UTC'
  const collectedUntil = collectsUntil(trigger, zone, now)
  const wakeAt = collectedUntil ?? now
  const occurrence = occurrenceOfCall(definition.once, body.date, { now: wakeAt, zone })
  const expiresAt = rememberUntil(definition, wakeAt)
  const request = runWish(rule, {
    source: 'manual',
    object: 'job',
    recordUuids: [body.job_uuid],
    triggerData: {
      description: `Called from outside for ${dayText(Date.parse(body.date), 'UTC')}`,
      values: { job_uuid: body.job_uuid, date: body.date },
    },
    ledger: occurrence === null ? [] : [{ recordUuid: body.job_uuid, occurrence, expiresAt }],
    wakeAt,
    ...(collectedUntil !== null && { waits: runReason('collected') }),
  })
  // Each call is one run. Only the caller's own key makes two calls the same.
  const keys = idempotencyKey === null ? [] : [{ key: `own:${hashToken(idempotencyKey)}`, expiresAt: now + KEY_COUNTS }]
  const start = (asked: RunRequest) => app.store.runs.startRunOnce(rule.accountUuid, asked, keys, now)
  const started = await start(request)
  switch (started.outcome) {
    case 'started':
      app.log.info({ account: rule.accountUuid, automation: rule.id, run: started.runId }, 'automation.triggered')
      app.wakeRuns()
      return {
        outcome: 'accepted',
        runId: started.runId,
        repeated: false,
        waits: await waitOf(app, rule, collectedUntil === null ? null : collectedText(trigger)),
      }
    case 'repeated':
      return repeatedCall(app, rule, body, started.runId, zone)
    case 'done_before': {
      // The caller still gets a run, and its history says why nothing was sent.
      const done = runReason('done_before', { once: onceText(definition, 'job') })
      const triggerData = { ...request.triggerData, doneBefore: done }
      const told = await start({ ...request, ledger: [], wakeAt: now, held: null, triggerData })
      if (told.outcome === 'done_before') throw new Error('a wish without a ledger is never done before')
      app.wakeRuns()
      const repeated = { repeated: told.outcome === 'repeated' }
      return { outcome: 'accepted', runId: told.runId, ...repeated, waits: null, doneBefore: runReasonText(done) }
    }
  }
}

async function repeatedCall(
  app: TriggerApp,
  rule: AutomationRow,
  body: TriggerBody,
  id: number,
  zone: string,
): Promise<Triggered> {
  const run = await app.store.runs.findRun(rule.accountUuid, id)
  const asked = run?.triggerData.values
  if (asked && (asked.job_uuid !== body.job_uuid || asked.date !== body.date))
    return { outcome: 'refused', message: 'This Idempotency-Key was used with another body. Use a new key.' }
  const isOpen = run?.state === 'queued' || run?.state === 'waiting'
  // Of its own run: the rule may have another schedule since.
  const until = isOpen && run.wakeAt > app.clock.now() ? `until ${momentText(run.wakeAt, zone)}` : null
  const waits = isOpen ? await waitOf(app, rule, until) : null
  return { outcome: 'accepted', runId: id, repeated: true, waits }
}

async function waitOf(app: TriggerApp, rule: AutomationRow, until: string | null): Promise<string | null> {
  if (app.settings.held) return 'Fieldhook is on hold'
  const plan = await app.store.billing.findPlan(rule.accountUuid)
  if (plan && plan.heldSince !== null) return planHoldText(plan.holdReason ?? '')
  return until
}

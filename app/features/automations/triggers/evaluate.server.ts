// Evaluates a changed record: reads it once for all rules that watch it, compares it with its snapshot, and gets a
// verdict from each rule. The store writes snapshot, verdicts, runs and the end of the wait in one transaction.
import type { CallFailure, PlatformRecord } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { RunRequest, TriggerData } from '#app/domain/automations/run.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { OWN_WRITES_KEPT } from '#app/domain/kept-until.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { Evaluation, NewVerdict, OwnWrite, TouchedRecord } from '#db/store/triggers.ts'
import { reportTrouble } from '../actions/failure-text.ts'
import {
  causedBy,
  changesBetween,
  createdBy,
  isLateNews,
  markedNew,
  namedRecord,
  snapshotFields,
  snapshotsOf,
} from '../records/changes.ts'
import type { FactPart, FieldChange, JudgedAt, RecordFacts } from '../records/facts.ts'
import { fieldLabel, holdsIds, objectNoun } from '../records/fields.ts'
import type { FactLoader } from '../records/load-facts.server.ts'
import { judge, judgedParts } from '../rules/conditions/conditions.ts'
import { BREAKER_WITHIN, mayStart } from '../rules/guards.ts'
import { daysToRemember, occurrenceOf } from '../rules/timing/once.ts'
import { collectsUntil } from '../rules/timing/schedule.ts'
import { triggerMatches } from '../rules/triggers.ts'
import { pauseRules } from '../runs/run-pause.server.ts'

export type EvaluateApp = Pick<App, 'store' | 'clock' | 'log' | 'callAsAccount'> & { facts: FactLoader }

/** How long our own writes to a record can come back as events. ms */
const OWN_WRITE_COUNTS = minutes(10)
/** How long an unreadable record is retried, the same as the platform retries its webhooks. ms */
const TRIED_FOR = hours(72)

/** Returns how many runs it started. */
export async function evaluateRecord(app: EvaluateApp, touched: TouchedRecord): Promise<number> {
  const { accountUuid, object, recordUuid } = touched
  const watch = await loadWatch(app, accountUuid, object)
  if (watch === null) return settle(app, nobodyWatches(touched))
  const answer = await app.callAsAccount(accountUuid, (api, token) => api.read(token, object, recordUuid))
  if (answer.outcome === 'refused' && answer.status === 404) return settle(app, evaluationOfGone(watch, touched))
  if (answer.outcome !== 'ok') return putOff(app, touched, watch.rules, answer)
  const joined = await app.facts.join(accountUuid, object, [answer.value], watch.parts)
  if (joined.outcome !== 'ok') return putOff(app, touched, watch.rules, joined)
  const facts = joined.facts[0]
  if (!facts) return settle(app, evaluationOfGone(watch, touched))
  const [before] = await app.store.records.loadSnapshots(accountUuid, snapshotsOf(object), [recordUuid])
  const evaluation = await evaluateRead(app, watch, {
    touched,
    record: answer.value,
    facts,
    before: before?.fields ?? null,
  })
  // Load customers only when a run will start and show them.
  const customers = evaluation.requests.length === 0 ? new Map() : await app.facts.customerNames(accountUuid, [facts])
  return settle(app, named(evaluation, facts, customers))
}

/** The rules that watch the object, and the parts of its records they need. */
export interface Watch {
  rules: AutomationRow[]
  parts: FactPart[]
  zone: string
}

/** Null when no rule watches the object any more, or all of them are paused. */
export async function loadWatch(app: EvaluateApp, accountUuid: string, object: string): Promise<Watch | null> {
  const rules = await app.store.automations.automationsWatching(accountUuid, object)
  const account = await app.store.accounts.findAccount(accountUuid)
  if (rules.length === 0 || !account) return null
  const definitions = rules.map((rule) => rule.definition)
  return { rules, parts: judgedParts(definitions, object), zone: account.timezone }
}

/** Keeps the snapshot: without it, a record that changed while its rules were paused would count as new afterwards. */
export function nobodyWatches(touched: TouchedRecord): Evaluation {
  return { touched, snapshot: 'none', verdicts: [], requests: [] }
}

/** The record now, and its last snapshot; `before` is null when it was never seen. */
export interface ReadRecord {
  touched: TouchedRecord
  record: PlatformRecord
  facts: RecordFacts
  before: Readonly<Record<string, string>> | null
}

/** Evaluates every rule for the record. Writes nothing, except that it stops a rule that triggers itself in a loop. */
export async function evaluateRead(app: EvaluateApp, watch: Watch, read: ReadRecord): Promise<Evaluation> {
  const { touched, record, facts, before } = read
  const { accountUuid, object, recordUuid } = touched
  const now = app.clock.now()
  const fields = snapshotFields(record)
  const seen: Seen = {
    touched,
    facts,
    changes: changesBetween(before, fields),
    changedSince: touched.created ? touched.turn > 1 : isLateNews(before, touched.changedFields, now),
    firstSight: before === null && !touched.created,
    own: await app.store.triggers.ownWrites(accountUuid, object, recordUuid, now - OWN_WRITES_KEPT),
    at: { now, zone: watch.zone },
  }
  const opinions = await Promise.all(watch.rules.map((rule) => guarded(app, rule, opinionOf(rule, seen), now)))
  return {
    touched,
    // First seen through a change: the sweep decides whether it is new, because it knows which records existed.
    snapshot: seen.firstSight
      ? 'none'
      : {
          recordUuid,
          editDate: facts.editDate,
          fields: touched.created && !seen.changedSince ? markedNew(fields, now) : fields,
        },
    verdicts: opinions.flatMap((opinion) => (opinion.fires ? [] : [opinion.verdict])),
    requests: opinions.flatMap((opinion) => (opinion.fires ? [opinion.request] : [])),
  }
}

/** Adds the record and its customer's name to the runs. */
export function named(evaluation: Evaluation, facts: RecordFacts, customers: ReadonlyMap<string, string>): Evaluation {
  const conditionMatching = { totalRecords: 1, matchedRecords: [namedRecord(facts, customers)] }
  const requests = evaluation.requests.map((request) => ({
    ...request,
    triggerData: { ...request.triggerData, conditionMatching },
  }))
  return { ...evaluation, requests }
}

interface Seen {
  touched: TouchedRecord
  facts: RecordFacts
  changes: FieldChange[]
  changedSince: boolean
  firstSight: boolean
  own: OwnWrite[]
  at: JudgedAt
}

type Opinion = { fires: true; request: RunRequest; cause: OwnWrite | null } | { fires: false; verdict: NewVerdict }

function opinionOf(rule: AutomationRow, seen: Seen): Opinion {
  const { touched, facts, changes, at } = seen
  const { trigger } = rule.definition
  const no = (verdict: NewVerdict['verdict'], detail: Record<string, unknown>): Opinion => ({
    fires: false,
    verdict: { automationId: rule.id, recordUuid: touched.recordUuid, verdict, detail: JSON.stringify(detail) },
  })
  if (trigger.source !== 'webhook')
    return no('not_triggered', { sentence: 'This automation does not start on events.' })
  if (!rule.baselined && !touched.created) {
    return no('first_sight', {
      sentence: 'The automation was being switched on and was still checking existing records.',
    })
  }
  if (seen.firstSight) {
    return no('first_sight', {
      sentence: 'Fieldhook saw this record for the first time. It could not tell what changed.',
    })
  }
  const { created, changedFields } = touched
  const fired = triggerMatches(trigger, { created, changedSince: seen.changedSince, changedFields, changes, facts }, at)
  if (!fired.fires) return no('not_triggered', { sentence: fired.why })

  const recent = seen.own.filter((write) => write.at >= at.now - OWN_WRITE_COUNTS)
  const cause = created ? createdBy(seen.own) : causedBy(changes, recent)
  const verdict = judge(rule.definition.conditions, facts, at)
  if (!verdict.matched) return no('not_matched', { failed: verdict.failed })

  const settled = at.now + minutes(trigger.settleMinutes)
  const collectedUntil = collectsUntil(trigger, at.zone, settled)
  const firing = { facts, changes, at, groupKey: null, tick: null, collectedUntil }
  const occurrence = occurrenceOf(rule.definition.once, firing)
  const expiresAt = rememberUntil(rule.definition, collectedUntil ?? at.now)
  return {
    fires: true,
    request: runWish(rule, {
      source: 'webhook',
      object: facts.object,
      recordUuids: [facts.recordUuid],
      triggerData: { description: describeChange(touched, changes), changes },
      ledger: [{ recordUuid: facts.recordUuid, occurrence, expiresAt }],
      hop: cause ? cause.hop + 1 : 0,
      wakeAt: collectedUntil ?? settled,
      ...(collectedUntil !== null && { waits: runReason('collected') }),
    }),
    cause,
  }
}

/** Checks the loop guards: the run is skipped, held for a person, or held while its rule is paused. */
async function guarded(app: EvaluateApp, rule: AutomationRow, opinion: Opinion, now: number): Promise<Opinion> {
  if (!opinion.fires) return opinion
  const { cause, request } = opinion
  const recordUuid = request.recordUuids[0] ?? ''
  const { accountUuid } = rule
  const runsOnRecord = await app.store.triggers.recentRuns(accountUuid, rule.id, recordUuid, now - BREAKER_WITHIN)
  const verdict = mayStart({ automationId: rule.id, cause, runsOnRecord, now })
  switch (verdict.outcome) {
    case 'go':
      return opinion
    case 'skip':
      return {
        fires: false,
        verdict: {
          automationId: rule.id,
          recordUuid,
          verdict: 'own_change',
          detail: JSON.stringify({ sentence: verdict.sentence, runId: cause?.runId ?? null }),
        },
      }
    case 'pause':
      await app.store.automations.changeAutomation(accountUuid, rule.id, { pausedReason: verdict.reason, at: now })
      app.log.warn({ account: accountUuid, automation: rule.id }, 'automation.paused')
      return { ...opinion, request: { ...request, held: verdict.reason } }
    case 'hold':
      return { ...opinion, request: { ...request, held: verdict.reason } }
    default:
      return assertNever(verdict)
  }
}

/** How long the ledger remembers a firing; null = for good. */
export function rememberUntil(rule: Parameters<typeof daysToRemember>[0], now: number): number | null {
  const kept = daysToRemember(rule)
  return kept === null ? null : now + days(kept)
}

type WishGiven = Pick<RunRequest, 'source' | 'object' | 'recordUuids' | 'ledger' | 'wakeAt'> &
  Partial<Omit<RunRequest, 'triggerData'>> & { triggerData: Pick<TriggerData, 'description'> & Partial<TriggerData> }

/** A run request of a rule. Default: single records, not triggered by a rule, held if the rule asks first. */
export function runWish(
  rule: { id: number; version: number; definition: RuleDefinition },
  given: WishGiven,
): RunRequest {
  return {
    automationId: rule.id,
    version: rule.version,
    groupKey: null,
    hop: 0,
    held: rule.definition.guards.askFirst ? runReason('ask_first') : null,
    replayOf: null,
    ...given,
    triggerData: {
      object: given.object,
      manualTrigger: given.source === 'person' || given.source === 'manual',
      conditionMatching: null,
      values: {},
      bypassedConditions: false,
      changes: [],
      ...given.triggerData,
    },
  }
}

function describeChange(touched: TouchedRecord, changes: readonly FieldChange[]): string {
  const noun = objectNoun(touched.object)
  if (touched.created) return `New ${noun}`
  const first = changes[0]
  if (!first) return `Change of ${noun}`
  const more = changes.length > 1 ? ` and ${changes.length - 1} more` : ''
  const values = holdsIds(first.field) ? '' : ` from "${first.from ?? ''}" to "${first.to}"`
  return `${fieldLabel(touched.object, first.field)} changed${values}${more}`
}

function evaluationOfGone({ rules }: Watch, touched: TouchedRecord): Evaluation {
  const detail = JSON.stringify({ sentence: 'The record is no longer in ServiceM8.' })
  const { recordUuid } = touched
  const verdicts = rules.map(
    (rule) => ({ automationId: rule.id, recordUuid, verdict: 'not_triggered', detail }) as const,
  )
  return { touched, snapshot: null, verdicts, requests: [] }
}

/** Returns how many runs it started. */
export async function settle(app: EvaluateApp, evaluation: Evaluation): Promise<number> {
  const started = await app.store.triggers.settleTouched(evaluation.touched.accountUuid, evaluation, app.clock.now())
  const count = started.filter((one) => one.outcome === 'started').length
  const { accountUuid, object } = evaluation.touched
  app.log.debug({ account: accountUuid, object, rules: started.length, started: count }, 'record.evaluated')
  return count
}

/** Postpones the record. After three days it gives up instead, and each rule's verdict says so. */
export async function putOff(
  app: EvaluateApp,
  touched: TouchedRecord,
  rules: readonly AutomationRow[],
  failure: CallFailure,
): Promise<number> {
  const now = app.clock.now()
  if (now - touched.firstAt > TRIED_FOR) {
    const sentence = `The record could not be read for three days: ${failure.message}`
    const verdicts: NewVerdict[] = rules.map((rule) => ({
      automationId: rule.id,
      recordUuid: touched.recordUuid,
      verdict: 'held',
      detail: JSON.stringify({ sentence }),
    }))
    const [before] = await app.store.records.loadSnapshots(touched.accountUuid, snapshotsOf(touched.object), [
      touched.recordUuid,
    ])
    return settle(app, { touched, snapshot: before ?? null, verdicts, requests: [] })
  }
  await pauseUnread(app, rules, failure)
  const again = tryAgainAt(failure, touched.tries, now)
  // Postpone all of the account's records at once: hundreds of single writes would keep the disk busy.
  if (failure.outcome === 'rate_limited') await app.store.triggers.postponeAllTouched(touched.accountUuid, again)
  else await app.store.triggers.postponeTouched(touched, again)
  return 0
}

/** A read that fails for want of access pauses its rules, as a step does. The sweep afterwards finds what they missed. */
export async function pauseUnread(app: EvaluateApp, rules: readonly AutomationRow[], failure: CallFailure) {
  const { sentence } = reportTrouble(failure, 'this list')
  for (const { accountUuid, id } of rules) await pauseRules(app, { accountUuid, automationId: id }, sentence)
}

/** When to retry a background read that failed. Shared by all reads for rules. */
export function tryAgainAt(failure: CallFailure, tries: number, now: number): number {
  switch (failure.outcome) {
    case 'rate_limited':
      return Math.max(failure.retryAt, now + seconds(1))
    case 'unavailable':
    case 'refused':
      return now + pauseAfter(tries)
    case 'not_connected':
    case 'reconnect':
    case 'forbidden':
    case 'suspended':
    case 'unauthorized':
      // A person has to act first; signing in again triggers no retry, so check every 10 minutes.
      return now + minutes(10)
    default:
      return assertNever(failure)
  }
}

export function pauseAfter(tries: number): number {
  return Math.min(seconds(5) * 3 ** Math.min(tries, 6), minutes(15))
}

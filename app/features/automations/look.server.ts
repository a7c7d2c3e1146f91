// A record that rules watch has changed: it is read once, for all of them, compared with what it looked like, and each rule
// says what it makes of it. Snapshot, verdicts, runs and the end of the wait are one act of the store.
import type { AccountCallResult } from '#app/adapters/platform.ts'
import type { App } from '#app/app-context.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { LookedAt, NewVerdict, OwnWrite, TouchedRecord } from '#db/store/triggers.ts'
import { causedBy, changesBetween, matchedRecord, snapshotFields, snapshotsOf } from './changes.ts'
import { judge, neededParts } from './conditions.ts'
import type { FieldChange, JudgedAt, RecordFacts } from './facts.ts'
import { BREAKER_WITHIN, mayStart } from './guards.ts'
import type { FactLoader } from './load-facts.server.ts'
import { daysToRemember, occurrenceOf } from './once.ts'
import type { OncePolicy, RuleDefinition } from './rule.ts'
import type { RunWish } from './run.ts'
import { triggerMatches } from './triggers.ts'

export type LookApp = Pick<App, 'store' | 'clock' | 'log' | 'callAsAccount'> & { facts: FactLoader }

/**
 * Records looked at side by side, and of one account. Nearly all of a look is waiting for the platform, so many cost little; and
 * an account whose calls are spent, or whose platform does not answer, keeps two places and never the others' as well.
 */
const AT_ONCE = 32
const PER_ACCOUNT = 2

/** Our own writes come back as events within this time. ms */
const OWN_WRITE_COUNTS = minutes(10)
/** A record that cannot be read is tried this long, as the platform itself tries its webhooks. ms */
const TRIED_FOR = hours(72)

/** Where not even the delay of a look can be written down, none is begun for so long. ms */
const REST = seconds(10)

export interface Looker {
  /** Begins to look at what is due, as far as there is room, and does not wait for it. Resolves with when to come again. */
  round(): Promise<number | null>
  /** Resolves when nothing is being looked at any more. */
  settled(): Promise<void>
}

/**
 * Looks at records that changed. Each has a place of its own and gives it back when it is done: one that takes long keeps nobody
 * waiting. `ended` is told of each with how many runs it started, and calls for the next round. One record's trouble is its own:
 * it is put off.
 */
export function createLooker(app: LookApp, ended: (started: number) => void): Looker {
  const underWay = new Map<string, Promise<void>>()
  const atWork = new Map<string, number>()
  let restUntil = 0

  function begin(touched: TouchedRecord): void {
    const { accountUuid } = touched
    const key = keyOf(touched)
    atWork.set(accountUuid, (atWork.get(accountUuid) ?? 0) + 1)
    const looking = look(touched).then((started) => {
      underWay.delete(key)
      const left = (atWork.get(accountUuid) ?? 1) - 1
      if (left > 0) atWork.set(accountUuid, left)
      else atWork.delete(accountUuid)
      ended(started)
    })
    underWay.set(key, looking)
  }

  /** Never rejects. */
  async function look(touched: TouchedRecord): Promise<number> {
    const { accountUuid, object, tries } = touched
    try {
      return await lookAt(app, touched)
    } catch (error) {
      app.log.error({ account: accountUuid, object, error }, 'record.look_failed')
    }
    try {
      await app.store.postponeTouched(touched, app.clock.now() + pauseAfter(tries))
    } catch (error) {
      // It is still due: asking again at once would only spend the account's calls.
      restUntil = app.clock.now() + REST
      app.log.error({ account: accountUuid, object, error }, 'record.not_put_off')
    }
    return 0
  }

  return {
    async round() {
      const now = app.clock.now()
      if (restUntil > now) return restUntil
      // Those at work are still due: they are counted in, and left out.
      const limit = AT_ONCE + underWay.size
      for (const touched of await app.store.dueTouched(now, { limit, perAccount: PER_ACCOUNT })) {
        if (underWay.size >= AT_ONCE) break
        if (underWay.has(keyOf(touched)) || (atWork.get(touched.accountUuid) ?? 0) >= PER_ACCOUNT) continue
        begin(touched)
      }
      // What is due already and has no place is begun when one is given back.
      return app.store.nextTouchedDueAt(now)
    },
    async settled() {
      await Promise.all(underWay.values())
    },
  }
}

function keyOf({ accountUuid, object, recordUuid }: TouchedRecord): string {
  return `${accountUuid} ${object} ${recordUuid}`
}

/** Answers how many runs it started. */
async function lookAt(app: LookApp, touched: TouchedRecord): Promise<number> {
  const { accountUuid, object, recordUuid } = touched
  const rules = await app.store.automationsWatching(accountUuid, object)
  const account = await app.store.findAccount(accountUuid)
  if (rules.length === 0 || !account) return settle(app, { touched, snapshot: null, verdicts: [], wishes: [] })

  const answer = await app.callAsAccount(accountUuid, (api, token) => api.read(token, object, recordUuid))
  if (answer.outcome === 'refused' && answer.status === 404) {
    return settle(app, { touched, snapshot: null, verdicts: gone(rules, recordUuid), wishes: [] })
  }
  if (answer.outcome !== 'ok') return putOff(app, touched, rules, answer)
  const parts = neededParts(
    rules.flatMap((rule) => rule.definition.conditions),
    object,
  )
  const joined = await app.facts.join(accountUuid, object, [answer.value], parts)
  if (joined.outcome !== 'ok') return putOff(app, touched, rules, joined)
  const facts = joined.facts[0]
  if (!facts) return settle(app, { touched, snapshot: null, verdicts: gone(rules, recordUuid), wishes: [] })

  const now = app.clock.now()
  const fields = snapshotFields(answer.value)
  const [before] = await app.store.loadSnapshots(accountUuid, snapshotsOf(object), [recordUuid])
  const seen: Seen = {
    touched,
    facts,
    changes: changesBetween(before?.fields ?? null, fields),
    firstSight: before === undefined && !touched.created,
    own: await app.store.ownWrites(accountUuid, object, recordUuid, now - OWN_WRITE_COUNTS),
    at: { now, zone: account.timezone },
  }
  const opinions = await Promise.all(rules.map((rule) => guarded(app, rule, opinionOf(rule, seen), now)))
  return settle(app, {
    touched,
    // Met by a change, and never before: whether it is new is for the sweep to say, which knows what was there.
    snapshot: seen.firstSight ? 'none' : { recordUuid, editDate: facts.editDate, fields },
    verdicts: opinions.flatMap((opinion) => (opinion.fires ? [] : [opinion.verdict])),
    wishes: opinions.flatMap((opinion) => (opinion.fires ? [opinion.wish] : [])),
  })
}

interface Seen {
  touched: TouchedRecord
  facts: RecordFacts
  changes: FieldChange[]
  firstSight: boolean
  own: OwnWrite[]
  at: JudgedAt
}

type Opinion = { fires: true; wish: RunWish; cause: OwnWrite | null } | { fires: false; verdict: NewVerdict }

function opinionOf(rule: AutomationRow, seen: Seen): Opinion {
  const { touched, facts, changes, at } = seen
  const { trigger } = rule.definition
  const no = (verdict: NewVerdict['verdict'], detail: Record<string, unknown>): Opinion => ({
    fires: false,
    verdict: { automationId: rule.id, recordUuid: touched.recordUuid, verdict, detail: JSON.stringify(detail) },
  })
  if (trigger.source !== 'webhook') return no('not_triggered', { sentence: 'This rule does not start on events.' })
  if (!rule.baselined && !touched.created) {
    return no('first_sight', { sentence: 'The rule was just being switched on and still looked at what was there.' })
  }
  if (seen.firstSight) {
    return no('first_sight', {
      sentence: 'Fieldhook saw this record for the first time, so it could not tell what had changed.',
    })
  }
  const fired = triggerMatches(trigger, {
    created: touched.created,
    changedFields: touched.changedFields,
    changes,
    facts,
  })
  if (!fired.fires) return no('not_triggered', { sentence: fired.why })

  const cause = touched.created ? null : causedBy(changes, seen.own)
  const verdict = judge(rule.definition.conditions, facts, at)
  if (!verdict.matched) return no('not_matched', { failed: verdict.failed })

  const occurrence = occurrenceOf(rule.definition.once, { facts, changes, at, groupKey: null, tick: null })
  return {
    fires: true,
    wish: {
      automationId: rule.id,
      version: rule.version,
      source: 'webhook',
      object: facts.object,
      recordUuids: [facts.recordUuid],
      groupKey: null,
      triggerData: {
        description: describeChange(touched, changes),
        object: facts.object,
        manualTrigger: false,
        conditionMatching: { totalRecords: 1, matchedRecords: [matchedRecord(facts)] },
        values: {},
        bypassedConditions: false,
        changes,
      },
      ledger: [{ recordUuid: facts.recordUuid, occurrence, expiresAt: rememberUntil(rule.definition.once, at.now) }],
      hop: cause ? cause.hop + 1 : 0,
      wakeAt: at.now + minutes(trigger.settleMinutes),
      held: askFirst(rule.definition),
      replayOf: null,
    },
    cause,
  }
}

/** Rules that set off rules: the run waits for a person, or the rule is stopped with it. */
async function guarded(app: LookApp, rule: AutomationRow, opinion: Opinion, now: number): Promise<Opinion> {
  if (!opinion.fires) return opinion
  const { cause, wish } = opinion
  const recordUuid = wish.recordUuids[0] ?? ''
  const { accountUuid } = rule
  const runsOnRecord = await app.store.recentRuns(accountUuid, rule.id, recordUuid, now - BREAKER_WITHIN)
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
      await app.store.changeAutomation(accountUuid, rule.id, { pausedReason: verdict.sentence, at: now })
      app.log.warn({ account: accountUuid, automation: rule.id }, 'automation.paused')
      return { ...opinion, wish: { ...wish, held: verdict.sentence } }
    case 'hold':
      return { ...opinion, wish: { ...wish, held: verdict.sentence } }
    default:
      return assertNever(verdict)
  }
}

/** Until when the ledger remembers a firing; null = for good. */
export function rememberUntil(once: OncePolicy, now: number): number | null {
  const kept = daysToRemember(once)
  return kept === null ? null : now + days(kept)
}

/** Every run of the rule waits for a person. */
export function askFirst(definition: RuleDefinition): string | null {
  return definition.guards.askFirst ? 'This rule asks you first, each time.' : null
}

function describeChange(touched: TouchedRecord, changes: readonly FieldChange[]): string {
  if (touched.created) return `New ${touched.object}`
  const first = changes[0]
  if (!first) return `Change of ${touched.object}`
  const more = changes.length > 1 ? ` and ${changes.length - 1} more` : ''
  return `${first.field} changed from "${first.from ?? ''}" to "${first.to}"${more}`
}

function gone(rules: readonly AutomationRow[], recordUuid: string): NewVerdict[] {
  const detail = JSON.stringify({ sentence: 'The record is not in ServiceM8 any more.' })
  return rules.map((rule) => ({ automationId: rule.id, recordUuid, verdict: 'not_triggered', detail }))
}

async function settle(app: LookApp, looked: LookedAt): Promise<number> {
  const started = await app.store.settleTouched(looked.touched.accountUuid, looked, app.clock.now())
  const count = started.filter((one) => one.outcome === 'started').length
  const { accountUuid, object } = looked.touched
  app.log.debug({ account: accountUuid, object, rules: started.length, started: count }, 'record.looked_at')
  return count
}

type Failure = Exclude<AccountCallResult<never>, { outcome: 'ok' }>

/** Later, or, after three days, never: then each rule's verdict says so. */
async function putOff(
  app: LookApp,
  touched: TouchedRecord,
  rules: readonly AutomationRow[],
  failure: Failure,
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
    const [before] = await app.store.loadSnapshots(touched.accountUuid, snapshotsOf(touched.object), [
      touched.recordUuid,
    ])
    return settle(app, { touched, snapshot: before ?? null, verdicts, wishes: [] })
  }
  const again = tryAgainAt(failure, touched.tries, now)
  // All of the account's at once: hundreds that are put off one by one would keep the disk busy, and everybody waiting.
  if (failure.outcome === 'rate_limited') await app.store.postponeAllTouched(touched.accountUuid, again)
  else await app.store.postponeTouched(touched, again)
  return 0
}

/** When a background read that failed is worth trying again. Shared by everything that reads for rules. */
export function tryAgainAt(failure: Failure, tries: number, now: number): number {
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
      // A person has to do something first; signing in again wakes nobody, so look now and then.
      return now + minutes(10)
    default:
      return assertNever(failure)
  }
}

function pauseAfter(tries: number): number {
  return Math.min(seconds(5) * 3 ** Math.min(tries, 6), minutes(15))
}

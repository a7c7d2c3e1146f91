// Switching a rule on never affects existing records. For a polled rule that acts once per record, the ledger gets the
// existing matches; for a rule on events, every record gets a snapshot, so later reads can detect changes. The rule
// does not start before the baseline is complete.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccountCallResult, CallFailure, PlatformRecord, RecordPage } from '#app/adapters/platform.ts'
import { isPolled } from '#app/domain/object-catalog.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { RecordValues } from '#db/store/records.ts'
import type { SweepTarget, SweptRecord } from '#db/store/triggers.ts'
import { asText, changesBetween, snapshotFields, snapshotsOf } from '../records/changes.ts'
import { objectOfEndpoint } from '../rules/conditions/conditions.ts'
import { occurrenceOf } from '../rules/timing/once.ts'
import { localBefore } from '../rules/timing/schedule.ts'
import { type EvaluateApp, pauseUnread, tryAgainAt } from './evaluate.server.ts'
import { filterOf, judgeAll, listFor } from './list-records.server.ts'

const AT_ONCE = 4
/** Rows of one transaction. */
const ROWS = 500
/** Pages of a baseline: 200,000 records. */
const MOST_PAGES = 40

export function createBaseline(app: EvaluateApp) {
  const waiting = new Map<number, { until: number; tries: number }>()

  async function one(rule: AutomationRow): Promise<void> {
    const now = app.clock.now()
    const noted = await noteWhatIsThere(app, rule)
    const about = { automation: rule.id, account: rule.accountUuid }
    if (typeof noted === 'boolean') {
      waiting.delete(rule.id)
      if (noted) app.log.info(about, 'automation.baselined')
      return
    }
    const tries = (waiting.get(rule.id)?.tries ?? 0) + 1
    waiting.set(rule.id, { until: tryAgainAt(noted, tries, now), tries })
    app.log.warn({ ...about, reason: noted.outcome }, 'automation.baseline_put_off')
    await pauseUnread(app, [rule], noted)
  }

  return {
    /** `nextAt`: when a failed baseline is retried; null = none waits. */
    async round() {
      const now = app.clock.now()
      const rules = await app.store.triggers.automationsToBaseline(AT_ONCE + waiting.size)
      const known = new Set(rules.map((rule) => rule.id))
      for (const id of waiting.keys()) if (!known.has(id)) waiting.delete(id)
      const ready = rules.filter((rule) => (waiting.get(rule.id)?.until ?? 0) <= now).slice(0, AT_ONCE)
      for (const rule of ready) {
        try {
          await one(rule)
        } catch (error) {
          waiting.set(rule.id, { until: app.clock.now() + seconds(30), tries: 1 })
          app.log.error({ automation: rule.id, account: rule.accountUuid, error }, 'automation.baseline_failed')
        }
      }
      if (ready.length === AT_ONCE) return { nextAt: app.clock.now() }
      return { nextAt: waiting.size === 0 ? null : Math.min(...[...waiting.values()].map((entry) => entry.until)) }
    },
  }
}

/** False = the rule was changed meanwhile, and nothing more is read for it. */
async function noteWhatIsThere(app: EvaluateApp, rule: AutomationRow): Promise<CallFailure | boolean> {
  const { accountUuid, definition } = rule
  const { trigger } = definition
  const account = await app.store.accounts.findAccount(accountUuid)
  if (!account || trigger.source === 'manual_endpoint') return finish(app, rule, { ...NOTHING, watermark: '' }, 'job')
  const object = trigger.source === 'webhook' ? trigger.object : objectOfEndpoint(trigger.endpoint)

  const at = { now: app.clock.now(), zone: account.timezone }
  // An empty list is a baseline too: every later record is new.
  if (trigger.source === 'webhook') return noteAll(app, rule, object, localStamp(wallAt(at.now, account.timezone)))
  const listed = await listFor(app, accountUuid, object, filterOf(definition, at))
  if (listed.outcome === 'failed') return listed.failure
  const judged = await judgeAll(app, accountUuid, object, listed.records, definition, at)
  if (judged.outcome === 'failed') return judged.failure
  const ledger = judged.judged.matched.map((facts) => ({
    recordUuid: facts.recordUuid,
    occurrence: occurrenceOf(definition.once, { facts, changes: [], at, groupKey: null, tick: null }),
  }))
  return finish(app, rule, { ...NOTHING, ledger, watermark: '' }, object)
}

/** A rule on events needs every record, deleted ones too: a restored record is not new. Each page is stored at once. */
async function noteAll(
  app: EvaluateApp,
  rule: AutomationRow,
  object: string,
  emptySince: string,
): Promise<CallFailure | boolean> {
  const { accountUuid } = rule
  let [cursor, latest]: [string | undefined, string] = [undefined, '']
  for (let page = 1; ; page += 1) {
    const asked: { cursor?: string } = cursor === undefined ? {} : { cursor }
    const answer: AccountCallResult<RecordPage> = await app.callAsAccount(accountUuid, (api, token) =>
      api.listPage(token, object, asked),
    )
    if (answer.outcome !== 'ok') return answer
    const snapshots = answer.value.records.flatMap((record): RecordValues[] => {
      const [recordUuid, editDate] = [asText(record.uuid), asText(record.edit_date)]
      if (editDate > latest) latest = editDate
      return recordUuid === '' ? [] : [{ recordUuid, editDate, fields: snapshotFields(record) }]
    })
    cursor = answer.value.next ?? undefined
    const partial = cursor !== undefined
    const last = !partial || page === MOST_PAGES
    if (last && partial) app.log.warn({ account: accountUuid, object }, 'baseline.more_than_read')
    const found = { ...NOTHING, snapshots, partial, last, watermark: latest || emptySince }
    const isKept = await finish(app, rule, found, object)
    if (last || !isKept) return isKept
  }
}

interface Found {
  ledger: { recordUuid: string; occurrence: string }[]
  snapshots: RecordValues[]
  partial: boolean
  /** False = more pages follow. */
  last: boolean
  watermark: string
}

const NOTHING: Omit<Found, 'watermark'> = { ledger: [], snapshots: [], partial: false, last: true }

async function finish(app: EvaluateApp, rule: AutomationRow, found: Found, object: string): Promise<boolean> {
  const { ledger, snapshots, partial, last, watermark } = found
  const most = Math.max(ledger.length, snapshots.length)
  for (let from = 0; ; from += ROWS) {
    const done = last && from + ROWS >= most
    const isKept = await app.store.triggers.noteBaseline(
      rule.accountUuid,
      {
        automationId: rule.id,
        version: rule.version,
        activeSince: rule.activeSince ?? 0,
        ledger: ledger.slice(from, from + ROWS),
        object,
        snapshots: snapshots.slice(from, from + ROWS),
        watermark,
        partial,
        done,
      },
      app.clock.now(),
    )
    if (from + ROWS >= most || !isKept) return isKept
    await nextTurn()
  }
}

// Webhooks are fast, the sweep is complete: every hour it compares the lists that rules watch with the snapshots, and
// so finds changes whose event was lost or came while Fieldhook was not running.

const EVERY = hours(1)
/** For objects without webhooks, which only the sweep can watch. */
const EVERY_WITHOUT_EVENTS = minutes(5)
/** Covers records that `gt` excludes: ties within one second, late writes, and the repeated hour in autumn. */
const OVERLAP_HOURS = 2

/** Sweeps the due lists; resolves with the number of changed records found. */
export async function sweepDue(app: EvaluateApp): Promise<{ found: number; more: boolean }> {
  const targets = await app.store.triggers.dueSweeps(app.clock.now(), AT_ONCE)
  let found = 0
  for (const target of targets) {
    try {
      found += await sweep(app, target)
    } catch (error) {
      app.log.error({ account: target.accountUuid, object: target.object, error }, 'sweep.failed')
      const sentence = 'The list could not be compared.'
      await app.store.triggers.failSweep(target, { sentence, nextAt: app.clock.now() + periodOf(target.object) })
    }
  }
  return { found, more: targets.length === AT_ONCE }
}

function periodOf(object: string): number {
  return isPolled(object) ? EVERY_WITHOUT_EVENTS : EVERY
}

async function sweep(app: EvaluateApp, target: SweepTarget): Promise<number> {
  const { accountUuid, object, watermark } = target
  const now = app.clock.now()
  const filter = watermark === '' ? '' : `edit_date gt '${localBefore(watermark, OVERLAP_HOURS)}'`
  const listed = await listFor(app, accountUuid, object, filter)
  if (listed.outcome === 'failed') {
    await pauseUnread(app, await app.store.automations.automationsWatching(accountUuid, object), listed.failure)
    await app.store.triggers.failSweep(target, {
      sentence: listed.failure.message,
      nextAt: tryAgainAt(listed.failure, 4, now),
    })
    return 0
  }
  let latest = watermark
  let found = 0
  for (let from = 0; from < listed.records.length; from += ROWS) {
    const part = listed.records.slice(from, from + ROWS)
    for (const record of part) latest = asText(record.edit_date) > latest ? asText(record.edit_date) : latest
    const records = await compare(app, target, part, listed.complete)
    found += records.filter((record) => record.touch !== null).length
    await app.store.triggers.settleSweep(target, { records, cursor: null }, app.clock.now())
    await nextTurn()
  }
  // Only now: if storing fails, the records are listed again.
  await app.store.triggers.settleSweep(
    target,
    { records: [], cursor: { watermark: latest, nextAt: app.clock.now() + periodOf(object) } },
    app.clock.now(),
  )
  if (found > 0) app.log.info({ account: accountUuid, object, found }, 'sweep.found')
  return found
}

async function compare(
  app: EvaluateApp,
  { accountUuid, object, watermark, partial }: SweepTarget,
  part: readonly PlatformRecord[],
  complete: boolean,
): Promise<SweptRecord[]> {
  const uuids = part.map((record) => asText(record.uuid)).filter((uuid) => uuid !== '')
  const snapshots = await app.store.records.loadSnapshots(accountUuid, snapshotsOf(object), uuids)
  const before = new Map(snapshots.map((row) => [row.recordUuid, row.fields]))
  const swept: SweptRecord[] = []
  for (const record of part) {
    const recordUuid = asText(record.uuid)
    if (recordUuid === '') continue
    const fields = snapshotFields(record)
    const values = { recordUuid, editDate: asText(record.edit_date), fields }
    const known = before.get(recordUuid)
    if (known) {
      const changes = changesBetween(known, fields)
      if (changes.length > 0) {
        swept.push({ values, touch: { changedFields: changes.map((change) => change.field), created: false } })
      }
      continue
    }
    // The baseline has every record that existed when the rule was switched on, so an unknown one is new.
    const isNew = watermark !== '' && complete && !partial && asText(record.active) !== '0'
    swept.push({ values, touch: isNew ? { changedFields: [], created: true } : null })
  }
  return swept
}

// Webhooks are fast, the sweep is complete: every hour it compares the lists that rules watch with the snapshots, and
// so finds changes whose event was lost or came while Fieldhook was not running.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PlatformRecord } from '#app/adapters/platform.ts'
import { isPolled } from '#app/domain/object-catalog.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import type { SweepTarget, SweptRecord } from '#db/store/triggers.ts'
import { asText, changesBetween, snapshotFields, snapshotsOf } from '../records/changes.ts'
import { localBefore } from '../rules/timing/schedule.ts'
import { type EvaluateApp, tryAgainAt } from './evaluate.server.ts'
import { listFor, MOST_RECORDS } from './list-records.server.ts'

const EVERY = hours(1)
/** For objects without webhooks, which only the sweep can watch. */
const EVERY_WITHOUT_EVENTS = minutes(5)
/** Covers records that `gt` excludes: ties within one second, late writes, and the repeated hour in autumn. */
const OVERLAP_HOURS = 2
const AT_ONCE = 4
const ROWS = 500

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
  if (listed.records.length >= MOST_RECORDS) app.log.warn({ account: accountUuid, object }, 'sweep.more_than_read')
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

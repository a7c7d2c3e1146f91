// Evaluates many records of one account that changed at about the same time (an import, a bulk edit): reads the list of
// recent edits once instead of each record, and joins once. Each record is still evaluated and settled separately.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CallFailure, PlatformRecord } from '#app/adapters/platform.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import type { Evaluation, TouchedRecord } from '#db/store/triggers.ts'
import { asText, snapshotsOf } from '../records/changes.ts'
import type { FactPart, RecordFacts } from '../records/facts.ts'
import { partsOfSteps } from '../runs/run-parts.ts'
import {
  type EvaluateApp,
  evaluateRead,
  loadWatch,
  named,
  nobodyWatches,
  putOff,
  type ReadRecord,
  settle,
  type Watch,
} from './evaluate.server.ts'

/** Records evaluated and written in one go before other work gets a turn. */
const AT_A_TIME = 25
/** The longest time between an edit and its first event; an older edit is read individually. */
const EDITED_BEFORE = minutes(10)
/** The same for records found by a sweep: they were edited since the sweep before. */
const SWEPT_BEFORE = hours(3)
/** One page of the platform's list; records beyond it are read individually (facts: 5.3). */
const MOST_EDITED = 5_000
/** From this many runs that start together, the parts their steps use are loaded into the shared cache first … */
const WORTH_JOINING = 10
/** … but only parts that stay cached long enough: see `fact-sources.server.ts`. */
const LASTING: readonly FactPart[] = ['contact', 'company', 'company_contact']

interface EvaluatedTogether {
  started: number
  /** Not on the list: deleted for good, edited long before the event, or beyond one page. Read them one by one. */
  left: TouchedRecord[]
}

/** `records` = of one account and one object. `settled` gets each one settled or postponed; others are untouched. */
export async function evaluateTogether(
  app: EvaluateApp,
  records: readonly TouchedRecord[],
  settled: Set<TouchedRecord>,
): Promise<EvaluatedTogether> {
  const [first] = records
  if (!first) return { started: 0, left: [] }
  const { accountUuid, object } = first
  const begun = app.clock.now()
  const watch = await loadWatch(app, accountUuid, object)
  if (watch === null) {
    await settleAll(app, records.map(nobodyWatches), settled)
    return { started: 0, left: [] }
  }
  const listed = await app.callAsAccount(accountUuid, (api, token) =>
    api.list(token, object, { limit: MOST_EDITED, filter: `edit_date gt '${editedSince(records, watch.zone)}'` }),
  )
  // The platform cannot filter this object this way: read its records one by one.
  if (listed.outcome === 'refused') return { started: 0, left: [...records] }
  if (listed.outcome !== 'ok') return putAllOff(app, watch, records, listed, settled)

  const byUuid = new Map(listed.value.map((record) => [asText(record.uuid), record]))
  const found = records.flatMap((touched) => {
    const record = byUuid.get(touched.recordUuid)
    return record ? [{ touched, record }] : []
  })
  const left = records.filter((touched) => !byUuid.has(touched.recordUuid))
  if (found.length === 0) return { started: 0, left }
  const joined = await app.facts.join(
    accountUuid,
    object,
    found.map(({ record }) => record),
    watch.parts,
    begun,
  )
  if (joined.outcome !== 'ok') {
    await putAllOff(
      app,
      watch,
      found.map(({ touched }) => touched),
      joined,
      settled,
    )
    return { started: 0, left }
  }
  const read = await withSnapshots(app, found, joined.facts)
  let started = 0
  for (let from = 0; from < read.length; from += AT_A_TIME) {
    started += await judgeAndSettle(app, watch, read.slice(from, from + AT_A_TIME), settled)
    await nextTurn()
  }
  app.log.debug({ account: accountUuid, object, found: found.length, left: left.length, started }, 'records.evaluated')
  return { started, left }
}

/** In the account's local time and the platform's format. */
function editedSince(records: readonly TouchedRecord[], zone: string): string {
  const since = records.map(({ firstAt, eventSeq }) => firstAt - (eventSeq === null ? SWEPT_BEFORE : EDITED_BEFORE))
  return localStamp(wallAt(Math.min(...since), zone))
}

async function withSnapshots(
  app: EvaluateApp,
  found: readonly { touched: TouchedRecord; record: PlatformRecord }[],
  facts: readonly RecordFacts[],
): Promise<ReadRecord[]> {
  const [first] = found
  if (!first) return []
  const { accountUuid, object } = first.touched
  const uuids = found.map(({ touched }) => touched.recordUuid)
  const snapshots = await app.store.records.loadSnapshots(accountUuid, snapshotsOf(object), uuids)
  const before = new Map(snapshots.map(({ recordUuid, fields }) => [recordUuid, fields]))
  return found.flatMap(({ touched, record }, index) => {
    const own = facts[index]
    return own ? [{ touched, record, facts: own, before: before.get(touched.recordUuid) ?? null }] : []
  })
}

async function judgeAndSettle(
  app: EvaluateApp,
  watch: Watch,
  read: readonly ReadRecord[],
  settled: Set<TouchedRecord>,
): Promise<number> {
  const evaluations = await Promise.all(
    read.map(async (one) => ({ ...one, evaluation: await evaluateRead(app, watch, one) })),
  )
  const firing = evaluations.filter(({ evaluation }) => evaluation.requests.length > 0)
  const accountUuid = read[0]?.touched.accountUuid ?? ''
  if (firing.length >= WORTH_JOINING) await warmUp(app, watch, firing)
  const customers = await app.facts.customerNames(
    accountUuid,
    firing.map(({ facts }) => facts),
  )
  return settleAll(
    app,
    evaluations.map(({ evaluation, facts }) => named(evaluation, facts, customers)),
    settled,
  )
}

/** Spares many runs the same read. Its failure is ignored: the runs then read, and fail, by themselves. */
async function warmUp(
  app: EvaluateApp,
  { rules }: Watch,
  firing: readonly { touched: TouchedRecord; record: PlatformRecord; evaluation: Evaluation }[],
): Promise<void> {
  const [first] = firing
  if (!first) return
  const { accountUuid, object } = first.touched
  const ids = new Set(firing.flatMap(({ evaluation }) => evaluation.requests.map((request) => request.automationId)))
  const spokenOf = new Set(
    rules.filter((rule) => ids.has(rule.id)).flatMap((rule) => partsOfSteps(rule.definition, object)),
  )
  const parts = LASTING.filter((part) => spokenOf.has(part))
  if (parts.length === 0) return
  const records = firing.map(({ record }) => record)
  await app.facts.join(accountUuid, object, records, parts)
}

/** Concurrent writes share a transaction. A failed write does not stop the others. */
async function settleAll(
  app: EvaluateApp,
  evaluations: readonly Evaluation[],
  settled: Set<TouchedRecord>,
): Promise<number> {
  const written = await Promise.allSettled(
    evaluations.map(async (evaluation) => {
      const started = await settle(app, evaluation)
      settled.add(evaluation.touched)
      return started
    }),
  )
  const broken = written.find((one) => one.status === 'rejected')
  if (broken) throw broken.reason
  return written.reduce((sum, one) => sum + (one.status === 'fulfilled' ? one.value : 0), 0)
}

async function putAllOff(
  app: EvaluateApp,
  watch: Watch,
  records: readonly TouchedRecord[],
  failure: CallFailure,
  settled: Set<TouchedRecord>,
): Promise<EvaluatedTogether> {
  // A rate limit postpones the whole account at once. Pass the youngest: an old record would be given up instead.
  const youngest = records.reduce((a, b) => (b.firstAt > a.firstAt ? b : a))
  const told = failure.outcome === 'rate_limited' ? [youngest] : records
  await Promise.all(told.map((touched) => putOff(app, touched, watch.rules, failure)))
  for (const touched of records) settled.add(touched)
  return { started: 0, left: [] }
}

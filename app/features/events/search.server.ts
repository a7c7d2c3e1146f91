// "Find a delivery": runs a search with a bounded amount of work.
import type { App } from '#app/context/app-context.ts'
import type { FoundRow } from '#app/domain/deliveries/stored-delivery.ts'
import { keyOf } from '#app/domain/endpoint-key.ts'
import { fullName, type NamesOf, type RecordName, recordName } from '#app/domain/record-name.ts'
import { dayOf, isoDate, todayOf } from '#app/domain/time/local-time.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { isoOrNull, type Millis } from '#app/lib/clock.ts'
import { days, hours } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import { lastAnswer, standingSentence, whyNotAgain } from './delivery-detail.ts'
import { deliveryStatus, waitingOf } from './delivery-status.ts'
import { mayBeRecord, type PastedId } from './pasted-id.ts'
import { knownNames, namesForPage } from './record-names.server.ts'
import { cursorText, type SearchedWebhook, type SearchQuestion } from './search-filter.ts'
import { matchesSearch, type SearchFilter, type SearchTarget, statusOf } from './search-match.ts'
import {
  type DayVolume,
  MOST_RECORDS,
  SEARCH_STATUSES,
  type SearchAnswer,
  type SearchHit,
  type StatusCounts,
} from './search-view.ts'

type SearchApp = Pick<App, 'store' | 'clock' | 'log' | 'callAsAccount'>

/** Rows that one request reads: a fraction of a second. To look further back, the user continues from there. */
const LOOK_AT_MOST = 20_000
/** Rows whose statuses a page counts. */
const COUNT_AT_MOST = 2_000
const DAYS_SHOWN = 30

/** Newest event first. `scanAtMost` = how many rows may be read. */
export async function searchDeliveries(
  app: SearchApp,
  accountUuid: string,
  question: SearchQuestion,
  scanAtMost = LOOK_AT_MOST,
): Promise<SearchAnswer> {
  const found = await resolve(app, accountUuid, question.pasted)
  return searchResolved(app, accountUuid, question, { found, scanAtMost, namesOf: knownNames(app) })
}

/** The search as its page shows it: the rows, how many there are of each status, and the last 30 days. */
export async function searchForPage(
  app: SearchApp,
  accountUuid: string,
  question: SearchQuestion,
  { zone, found }: { zone: string; found: Resolved | null },
) {
  const now = app.clock.now()
  const since = Math.floor((now - days(DAYS_SHOWN)) / hours(1))
  const [answer, statuses, attempts] = await Promise.all([
    searchResolved(app, accountUuid, question, { found, scanAtMost: LOOK_AT_MOST, namesOf: namesForPage(app) }),
    countStatuses(app, accountUuid, question, found),
    app.store.events.attemptsByHour(accountUuid, since),
  ])
  return { answer, statuses, volume: volumeByDay(attempts, { now, zone }, DAYS_SHOWN) }
}

/** Finds what the typed text means. Null when it leads to nothing in this account. */
export async function resolve(app: SearchApp, accountUuid: string, pasted: PastedId | null): Promise<Resolved | null> {
  return pasted === null ? ANYTHING : resolvePasted(app, accountUuid, pasted)
}

async function searchResolved(
  app: SearchApp,
  accountUuid: string,
  { filter, before, limit }: SearchQuestion,
  { found, scanAtMost, namesOf }: { found: Resolved | null; scanAtMost: number; namesOf: NamesOf },
): Promise<SearchAnswer> {
  const now = app.clock.now()
  if (found === null) return { hits: [], end: 'all', next: null, lookedBackTo: null, looked: 0, more: false }
  const page = await app.store.events.searchDeliveries(accountUuid, {
    ...scanOf(filter, found),
    before,
    matches: (row) => matchesSearch(row, filter, found.target, now),
    limit,
    scanAtMost,
  })
  const asked = page.hits.map(({ object, objectUuid }) => ({ object, recordUuid: objectUuid }))
  const names = await namesOf(accountUuid, asked)
  return {
    hits: page.hits.map((row) =>
      searchHit(
        row,
        names.get(row.objectUuid) ?? found.names?.get(row.objectUuid) ?? recordName(row.object, null),
        now,
      ),
    ),
    end: page.end,
    next: page.next === null ? null : cursorText(page.next),
    lookedBackTo: page.lookedBackTo,
    looked: page.looked,
    more: found.more === true,
  }
}

/** Counts with every filter but the status, on one walk that keeps no rows. */
async function countStatuses(
  app: SearchApp,
  accountUuid: string,
  { filter }: SearchQuestion,
  found: Resolved | null,
): Promise<StatusCounts> {
  const now = app.clock.now()
  const counts = Object.fromEntries(SEARCH_STATUSES.map((status) => [status, 0])) as StatusCounts['counts']
  if (found === null) return { counts, complete: true }
  const { end } = await app.store.events.searchDeliveries(accountUuid, {
    ...scanOf(filter, found),
    before: null,
    matches(row) {
      if (matchesSearch(row, { ...filter, status: null }, found.target, now)) counts[statusOf(row.delivery, now)] += 1
      return false
    },
    limit: 1,
    scanAtMost: COUNT_AT_MOST,
  })
  return { counts, complete: end === 'all' && !found.more }
}

/** An event goes only to addresses of its object, so that a webhook's deliveries are among the events of one object. */
function scanOf({ object, webhook, from, until, code }: SearchFilter, { seqs }: Resolved) {
  const endpointId = webhook?.endpointId ?? null
  return { object: object ?? webhook?.object ?? null, endpointId, seqs, from, until, withCodes: code !== null }
}

/** The webhooks and forwarding rules that a search may name. */
export async function searchedWebhooks({ store }: Pick<App, 'store'>, accountUuid: string): Promise<SearchedWebhook[]> {
  const outlines = await store.endpoints.listOutlines(accountUuid)
  return outlines.map(({ kind, id, endpointId, objectType, name, url }) => {
    return { key: keyOf({ kind, id }), endpointId, object: objectType, name, url }
  })
}

interface Resolved {
  /** The only events it can mean; null when a search is needed. */
  seqs: number[] | null
  target: SearchTarget
  /** Names that only the platform knew. */
  names?: ReadonlyMap<string, RecordName>
  /** More records are called that than one search takes. */
  more?: boolean
}

const NO_TARGET: SearchTarget = { seq: null, deliveryId: null, endpointId: null, records: null }
const ANYTHING: Resolved = { seqs: null, target: NO_TARGET }

const only = (...records: string[]) => ({ seqs: null, target: { ...NO_TARGET, records: new Set(records) } })

async function resolvePasted(app: SearchApp, accountUuid: string, pasted: PastedId): Promise<Resolved | null> {
  const { store } = app
  switch (pasted.kind) {
    case 'number':
      return resolveNumber(app, accountUuid, pasted.number)
    case 'webhook_id': {
      const seq = await store.events.findEventSeq(accountUuid, { id: pasted.eventId, receivedAt: pasted.receivedAt })
      return seq === null ? null : { seqs: [seq], target: { ...NO_TARGET, endpointId: pasted.endpointId } }
    }
    case 'event_or_record': {
      const seq = await store.events.findEventSeq(accountUuid, { id: pasted.eventId, receivedAt: pasted.receivedAt })
      return seq === null ? only(pasted.eventId) : { seqs: [seq], target: NO_TARGET }
    }
    case 'record':
      return only(pasted.objectUuid)
    case 'words': {
      // It may be the id of a record too; only a search through all events knows.
      const also = mayBeRecord(pasted.words) ? [pasted.words.toLowerCase()] : []
      const found = await called(store, accountUuid, pasted.words, ...also)
      return found.target.records.size === 0 ? null : found
    }
    default:
      return assertNever(pasted)
  }
}

async function called(store: App['store'], accountUuid: string, text: string, ...also: string[]) {
  const { uuids, more } = await store.records.listRecordsCalled(accountUuid, text, MOST_RECORDS)
  return { ...only(...uuids.map((uuid) => uuid.toLowerCase()), ...also), more }
}

/** A job's number first, because that is what people know; a delivery and an event of the number are found beside it. */
async function resolveNumber(app: SearchApp, accountUuid: string, number: number): Promise<Resolved | null> {
  const { store } = app
  const [known, sent, isEvent] = await Promise.all([
    called(store, accountUuid, String(number)),
    store.events.eventOfDelivery(accountUuid, number),
    store.events.hasEvent(accountUuid, number),
  ])
  const target = { ...NO_TARGET, deliveryId: sent === null ? null : number, seq: isEvent ? number : null }
  const job = known.target.records.size > 0 ? known : await askForJob(app, accountUuid, number)
  if (job) return { ...job, target: { ...job.target, ...target, records: job.target.records } }
  const seqs = new Set([...(sent === null ? [] : [sent]), ...(isEvent ? [number] : [])])
  return seqs.size === 0 ? null : { seqs: [...seqs], target }
}

/** Without automations there are no snapshots: then ServiceM8 knows the job. A failure finds nothing. */
async function askForJob(app: SearchApp, accountUuid: string, number: number) {
  const answer = await app.callAsAccount(accountUuid, (api, token) =>
    api.list(token, 'job', { filter: `generated_job_id eq '${number}'`, limit: 1 }),
  )
  const uuid = answer.outcome === 'ok' ? answer.value[0]?.uuid : undefined
  if (typeof uuid !== 'string') return null
  const job = { generated_job_id: String(number) }
  const name = recordName('job', { object: 'job', recordUuid: uuid, own: job, job, company: null, customer: null })
  return { ...only(uuid.toLowerCase()), names: new Map([[uuid, name]]) }
}

function searchHit(row: FoundRow, { what, who }: RecordName, now: Millis): SearchHit {
  const { delivery, eventId, source, object, objectUuid, changedFields, receivedAt } = row
  const waiting = delivery && waitingOf(delivery, now)
  return {
    ...{ eventId, test: source === 'test', object, objectUuid, what, who, changedFields, receivedAt },
    delivery:
      delivery === null
        ? null
        : {
            id: delivery.id,
            status: deliveryStatus(delivery, now),
            cause: delivery.cause,
            url: delivery.lastUrl ?? delivery.address.url,
            goesTo: delivery.address.url,
            endpointId: delivery.endpointId,
            rule: delivery.address.rule ?? null,
            attempts: delivery.attempts,
            ...lastAnswer(delivery),
            ...(delivery.deliveredSince && { deliveredSince: true }),
            sentence: standingSentence(delivery, now),
            nextAt: waiting?.nextAt ?? null,
            ...(waiting?.atEarliest && { takesTurns: true }),
            canSendAgain: whyNotAgain(row) === null,
          },
  }
}

/** Returns the delivery whose number was pasted; null when it is something else too, or does not exist. */
export function deliveryNamed(found: Resolved | null): number | null {
  return found?.seqs?.length === 1 ? found.target.deliveryId : null
}

/** The answer as calls return it. */
export function searchJson(answer: SearchAnswer) {
  return {
    deliveries: answer.hits.map(({ delivery, ...event }) => ({
      deliveryId: delivery?.id ?? null,
      status: delivery?.status ?? ('not_forwarded' as const),
      cause: delivery?.cause ?? null,
      url: delivery?.url ?? null,
      rule: delivery?.rule ?? null,
      attempts: delivery?.attempts ?? 0,
      lastStatusCode: delivery?.lastCode ?? null,
      sentence: delivery?.sentence ?? null,
      nextAttemptAt: isoOrNull(delivery?.nextAt ?? null),
      canSendAgain: delivery?.canSendAgain ?? false,
      event: {
        id: event.eventId,
        test: event.test,
        objectType: event.object,
        objectUuid: event.objectUuid,
        recordName: fullName(event),
        changedFields: event.changedFields,
        receivedAt: isoOrNull(event.receivedAt),
      },
    })),
    /** Pass it as `before` to continue. */
    next: answer.next,
    /** False when the request reached its row limit, so older rows may still match; or that of records. */
    complete: answer.end !== 'limit' && !answer.more,
    lookedBackTo: isoOrNull(answer.lookedBackTo),
  }
}

interface HourCount {
  /** Hours since the epoch. */
  hour: number
  delivered: number
  failed: number
}

/** The last `count` days of the account's calendar, oldest first, with today. */
export function volumeByDay(
  attempts: readonly HourCount[],
  { now, zone }: { now: Millis; zone: string },
  count: number,
): DayVolume[] {
  const first = todayOf({ now, zone }) - count + 1
  const volume = Array.from({ length: count }, (_, index) => ({
    date: isoDate(first + index),
    delivered: 0,
    failed: 0,
  }))
  for (const { hour, delivered, failed } of attempts) {
    const day = volume[dayOf(wallAt(hour * hours(1), zone)) - first]
    if (!day) continue
    day.delivered += delivered
    day.failed += failed
  }
  return volume
}

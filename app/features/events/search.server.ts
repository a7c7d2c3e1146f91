// "Find a delivery": runs a search with a bounded amount of work.
import type { App } from '#app/context/app-context.ts'
import type { FoundRow } from '#app/domain/deliveries/stored-delivery.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { isoOrNull, type Millis } from '#app/lib/clock.ts'
import { standingSentence, whyNotAgain } from './delivery-detail.ts'
import { deliveryStatus, waitingOf } from './delivery-status.ts'
import type { PastedId } from './pasted-id.ts'
import { cursorText, type SearchQuestion } from './search-filter.ts'
import { matchesSearch, type SearchTarget } from './search-match.ts'
import type { SearchAnswer, SearchHit } from './search-view.ts'

type SearchApp = Pick<App, 'store' | 'clock'>

/** Rows that one request reads: a fraction of a second. To look further back, the user continues from there. */
const LOOK_AT_MOST = 20_000

/** Newest event first. `scanAtMost` = how many rows may be read. */
export async function searchDeliveries(
  app: SearchApp,
  accountUuid: string,
  { pasted, filter, before, limit }: SearchQuestion,
  scanAtMost = LOOK_AT_MOST,
): Promise<SearchAnswer> {
  const now = app.clock.now()
  const found = pasted === null ? ANYTHING : await resolvePasted(app, accountUuid, pasted)
  if (found === null) return { hits: [], end: 'all', next: null, lookedBackTo: null, looked: 0 }
  const page = await app.store.events.searchDeliveries(accountUuid, {
    object: filter.object,
    seq: found.seq,
    from: filter.from,
    until: filter.until,
    before,
    withCodes: filter.code !== null,
    matches: (row) => matchesSearch(row, filter, found.target, now),
    limit,
    scanAtMost,
  })
  return {
    hits: page.hits.map((row) => searchHit(row, now)),
    end: page.end,
    next: page.next === null ? null : cursorText(page.next),
    lookedBackTo: page.lookedBackTo,
    looked: page.looked,
  }
}

interface Resolved {
  /** The only event it can mean; null when a search is needed. */
  seq: number | null
  target: SearchTarget
}

const NO_TARGET: SearchTarget = { deliveryId: null, endpointId: null, record: null }
const ANYTHING: Resolved = { seq: null, target: NO_TARGET }

/** Resolves a pasted id. Null when it leads to nothing in this account. */
async function resolvePasted({ store }: SearchApp, accountUuid: string, pasted: PastedId): Promise<Resolved | null> {
  switch (pasted.kind) {
    case 'number': {
      const { number } = pasted
      const seq = await store.events.eventOfDelivery(accountUuid, number)
      if (seq !== null) return { seq, target: { ...NO_TARGET, deliveryId: number } }
      return (await store.events.hasEvent(accountUuid, number)) ? { seq: number, target: NO_TARGET } : null
    }
    case 'webhook_id': {
      const seq = await store.events.findEventSeq(accountUuid, { id: pasted.eventId, receivedAt: pasted.receivedAt })
      return seq === null ? null : { seq, target: { ...NO_TARGET, endpointId: pasted.endpointId } }
    }
    case 'event_or_record': {
      const seq = await store.events.findEventSeq(accountUuid, { id: pasted.eventId, receivedAt: pasted.receivedAt })
      return seq === null ? { seq: null, target: { ...NO_TARGET, record: pasted.eventId } } : { seq, target: NO_TARGET }
    }
    case 'record':
      return { seq: null, target: { ...NO_TARGET, record: pasted.objectUuid } }
    default:
      return assertNever(pasted)
  }
}

function searchHit(row: FoundRow, now: Millis): SearchHit {
  const { delivery } = row
  return {
    eventId: row.eventId,
    test: row.source === 'test',
    object: row.object,
    objectUuid: row.objectUuid,
    changedFields: row.changedFields,
    receivedAt: row.receivedAt,
    delivery:
      delivery === null
        ? null
        : {
            id: delivery.id,
            status: deliveryStatus(delivery, now),
            cause: delivery.cause,
            url: delivery.lastUrl ?? delivery.address.url,
            attempts: delivery.attempts,
            lastCode: delivery.lastCode,
            sentence: standingSentence(delivery, now),
            nextAt: waitingOf(delivery, now)?.nextAt ?? null,
            canSendAgain: whyNotAgain(row) === null,
          },
  }
}

/** Returns the delivery whose number was pasted; null when the id is something else or does not exist. */
export async function deliveryNamed(
  { store }: Pick<App, 'store'>,
  accountUuid: string,
  pasted: PastedId | null,
): Promise<number | null> {
  if (pasted?.kind !== 'number') return null
  return (await store.events.eventOfDelivery(accountUuid, pasted.number)) === null ? null : pasted.number
}

/** The answer as calls return it. */
export function searchJson(answer: SearchAnswer) {
  return {
    deliveries: answer.hits.map(({ delivery, ...event }) => ({
      deliveryId: delivery?.id ?? null,
      status: delivery?.status ?? ('not_forwarded' as const),
      cause: delivery?.cause ?? null,
      url: delivery?.url ?? null,
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
        changedFields: event.changedFields,
        receivedAt: isoOrNull(event.receivedAt),
      },
    })),
    /** Pass it as `before` to continue. */
    next: answer.next,
    /** False when the request reached its row limit, so older rows may still match. */
    complete: answer.end !== 'limit',
    lookedBackTo: isoOrNull(answer.lookedBackTo),
  }
}

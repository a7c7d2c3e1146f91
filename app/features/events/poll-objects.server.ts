// Polls for changes of objects the platform sends no webhooks for. Found changes are handled like posted events: stored
// with their snapshot in one transaction, fanned out, limited, counted. The next poll finds again what was not stored.
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { AccountCallResult, CallPriority, RecordPage } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import { fieldsToWatch, parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { SNAPSHOTS_KEPT } from '#app/domain/kept-until.ts'
import { POLLED_TYPES } from '#app/domain/object-catalog.ts'
import {
  type BegunPolling,
  begunInVain,
  failureSentence,
  inTurns,
  nextPollAt,
  POLL_PURPOSE,
  type PollFailure,
  pollAgainAt,
  sourceOf,
} from '#app/domain/polling.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import type { PolledRecord, PollTarget } from '#db/store/records.ts'
import {
  changesOf,
  forgettableBefore,
  type ListedRecord,
  latestEdit,
  nextWatermark,
  type PolledEvent,
  pollFilter,
  type RecordChange,
  readListed,
} from './polled-changes.ts'

type PollApp = Pick<App, 'store' | 'clock' | 'log' | 'callAsAccount' | 'acceptPolled' | 'space'>

/** The lease on a poll, so that only one runs; after a crash it expires in this time. */
const CLAIM = minutes(5)
/** With some polls in parallel, an account that does not answer does not block the others, and calls are spread out. */
const LOOKS_AT_ONCE = 4
/** The scheduler waits for this round to end; the next round starts with the polls that are longest overdue. */
const ROUND = seconds(45)
/** Records per transaction: a larger one noticeably delays incoming events. */
const RECORDS_PER_STEP = 50
/** Ends a poll of an endless list. At 5,000 records a page, this is longer than any account's. */
const MOST_PAGES = 200
const SNAPSHOTS_PER_STEP = 500

/** Runs every due poll, the longest overdue first, taking turns between accounts. Run every minute. */
export async function pollObjects(app: PollApp, signal?: AbortSignal): Promise<void> {
  const until = app.clock.now() + ROUND
  const due = await app.store.records.duePolls({ purpose: POLL_PURPOSE, objects: POLLED_TYPES, now: app.clock.now() })
  const queue = inTurns(due)
  const work = async () => {
    for (let target = queue.shift(); target; target = queue.shift()) {
      if (signal?.aborted || app.clock.now() >= until) return
      await look(app, target, { onFailure: 'note', priority: 'background' })
    }
  }
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, work))
  await forgetUnneeded(app, POLL_PURPOSE, signal)
}

/**
 * Runs the first poll of an object before its first address is stored: the caller gets the platform's refusal, and
 * every later edit is noticed. If polling already works, does nothing; if it is in trouble, polls again immediately.
 */
export async function beginPolling(app: PollApp, accountUuid: string, object: string): Promise<BegunPolling> {
  const cursor = await app.store.records.findPollCursor(accountUuid, sourceOf(object))
  if (cursor && cursor.watermark !== '' && cursor.lastError === null) return { outcome: 'looking' }
  const known = await app.store.records.findPollTarget(accountUuid, { purpose: POLL_PURPOSE, object })
  const timezone = (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
  const target = { accountUuid, object, timezone, fieldFilters: known?.fieldFilters ?? [], cursor }
  const polled = await look(app, target, { onFailure: cursor ? 'note' : 'drop', priority: 'screen' })
  return polled.outcome === 'failed' ? begunInVain(object, polled.failure) : { outcome: 'looking' }
}

/** Forgets snapshots beyond the limit of one object, and those of automations where none watches any more. Run daily. */
export async function trimSnapshots(app: Pick<App, 'store' | 'clock' | 'log'>, signal?: AbortSignal): Promise<void> {
  for (const purpose of ['sweep', 'partial']) await forgetUnneeded(app, purpose, signal, 'rules:')
  for (const { accountUuid, source, watermark } of await app.store.records.listPolls(POLL_PURPOSE)) {
    const object = source.slice(POLL_PURPOSE.length + 1)
    const editedBefore = forgettableBefore(watermark)
    const forgotten = await inSteps(signal, () =>
      app.store.records.trimSnapshotsStep(accountUuid, object, {
        keep: SNAPSHOTS_KEPT,
        editedBefore,
        limit: SNAPSHOTS_PER_STEP,
      }),
    )
    if (forgotten > 0) app.log.info({ account: accountUuid, object, forgotten }, 'poll.trimmed')
  }
}

/** Nothing needs these objects any more. If something does again, it begins with a first poll, or a baseline. */
async function forgetUnneeded(
  app: Pick<App, 'store' | 'clock'>,
  purpose: string,
  signal?: AbortSignal,
  kind = '',
): Promise<void> {
  for (const { accountUuid, source, object } of await app.store.records.unneededPolls(purpose, app.clock.now())) {
    const at = app.clock.now()
    await app.store.records.endPollUnlessNeeded(accountUuid, { purpose, object, at })
    // Deletes only older ones: a first poll that starts meanwhile keeps its snapshots.
    const snapshots = `${kind}${object}`
    await inSteps(signal, () => app.store.records.forgetSnapshotsStep(accountUuid, snapshots, at, SNAPSHOTS_PER_STEP))
    if (!signal?.aborted) await app.store.records.dropEndedPoll(accountUuid, source, at)
  }
}

async function inSteps(signal: AbortSignal | undefined, step: () => Promise<number>): Promise<number> {
  let done = 0
  while (!signal?.aborted) {
    const now = await step()
    done += now
    if (now < SNAPSHOTS_PER_STEP) break
    await setImmediate()
  }
  return done
}

type Polled =
  | { outcome: 'looked' }
  | { outcome: 'failed'; failure: PollFailure }
  /** Another poll is running, or no address needs the object any more. */
  | { outcome: 'overtaken' }

interface Manner {
  /** drop = as if it had never been tried. */
  onFailure: 'note' | 'drop'
  /** Whether a person waits for it. */
  priority: CallPriority
}

/** Runs one poll, from claim to cursor. Never throws. */
async function look(app: PollApp, target: PollTarget, { onFailure, priority }: Manner): Promise<Polled> {
  const { accountUuid, object, cursor } = target
  const source = sourceOf(object)
  const claimedUntil = app.clock.now() + CLAIM
  try {
    if (!(await app.store.records.claimPoll(accountUuid, source, cursor?.nextAt ?? null, claimedUntil))) {
      return { outcome: 'overtaken' }
    }
    const polled = await readChanges(app, target, { claimedUntil, priority })
    if (polled.outcome === 'failed')
      await settleFailure(app, target, { claimedUntil, onFailure, failure: polled.failure })
    return polled
  } catch (error) {
    app.log.error({ account: accountUuid, object, error }, 'poll.broke')
    const failure: PollFailure = { outcome: 'ours' }
    await settleFailure(app, target, { claimedUntil, onFailure, failure }).catch((second: unknown) =>
      // The claim expires by itself, and the poll runs again then.
      app.log.error({ account: accountUuid, object, error: second }, 'poll.not_noted'),
    )
    return { outcome: 'failed', failure }
  }
}

async function settleFailure(
  app: PollApp,
  { accountUuid, object, cursor }: PollTarget,
  input: Pick<Manner, 'onFailure'> & { claimedUntil: Millis; failure: PollFailure },
): Promise<void> {
  const { claimedUntil, onFailure, failure } = input
  const source = sourceOf(object)
  app.log.warn({ account: accountUuid, object, reason: failure.outcome }, 'poll.failed')
  if (onFailure === 'drop') return app.store.records.dropUnreadPoll(accountUuid, source, claimedUntil)
  const past = { now: app.clock.now(), lastOkAt: cursor?.lastOkAt ?? null }
  await app.store.records.failPoll(accountUuid, source, claimedUntil, {
    sentence: failureSentence(object, failure),
    nextAt: pollAgainAt(failure, past),
  })
}

/** Reads page by page. The last changes are stored with the cursor, so a usual poll is one transaction. */
async function readChanges(
  app: PollApp,
  target: PollTarget,
  { claimedUntil, priority }: Pick<Manner, 'priority'> & { claimedUntil: Millis },
): Promise<Polled> {
  const { accountUuid, object, timezone, cursor } = target
  const watermark = cursor?.watermark ?? ''
  const firstSight = watermark === ''
  const localNow = localStamp(wallAt(app.clock.now(), timezone))
  const filter = pollFilter(watermark, localNow)
  const watched = fieldsToWatch(
    object,
    target.fieldFilters.map((fields) => ({ fields: parseFields(fields) })),
  )
  let seen = ''
  let listed = 0
  let events = 0
  let next: string | null = null
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const at: string | null = next
    const answer: AccountCallResult<RecordPage> = await app.callAsAccount(
      accountUuid,
      (api, token) => api.listPage(token, object, { filter, routine: true, ...(at !== null && { cursor: at }) }),
      { priority },
    )
    if (answer.outcome !== 'ok') return { outcome: 'failed', failure: answer }
    const records = answer.value.records.flatMap((record) => readListed(object, record) ?? [])
    const snapshots = firstSight ? new Map() : await snapshotsOf(app, accountUuid, object, records)
    const changes = changesOf({ object, listed: records, snapshots, watched, firstSight })
    seen = latestEdit([seen, ...records.map((record) => record.editDate)])
    listed += records.length
    events += changes.filter((change) => change.event !== null).length
    next = firstSight && listed >= SNAPSHOTS_KEPT ? null : answer.value.next
    const reached = next === null ? nextWatermark(watermark, seen, localNow) : null
    const taken = await takeInParts(app, target, { claimedUntil, changes, watermark: reached })
    if (taken.outcome !== 'looked') return taken
    if (next === null) {
      logLooked(app, { account: accountUuid, object, listed, events, firstSight })
      return taken
    }
  }
  return { outcome: 'failed', failure: { outcome: 'unavailable', message: 'The list did not end.' } }
}

function logLooked(
  app: PollApp,
  look: { account: string; object: string; listed: number; events: number; firstSight: boolean },
) {
  const level = look.events > 0 || look.firstSight ? 'info' : 'debug'
  app.log[level](look, 'poll.looked')
}

interface TakenIn {
  claimedUntil: Millis
  changes: readonly RecordChange[]
  /** Set when these changes complete the poll, even if nothing changed; null when more will follow. */
  watermark: string | null
}

async function takeInParts(
  app: PollApp,
  target: PollTarget,
  { claimedUntil, changes, watermark }: TakenIn,
): Promise<Polled> {
  for (let from = 0; ; from += RECORDS_PER_STEP) {
    if (from >= changes.length && watermark === null) return LOOKED
    const last = from + RECORDS_PER_STEP >= changes.length
    const taken = await takeIn(app, target, {
      claimedUntil,
      changes: changes.slice(from, from + RECORDS_PER_STEP),
      watermark: last ? watermark : null,
    })
    if (taken.outcome !== 'looked' || (last && watermark !== null)) return taken
    await setImmediate()
  }
}

async function snapshotsOf(app: PollApp, accountUuid: string, object: string, records: readonly ListedRecord[]) {
  const uuids = records.map((record) => record.recordUuid)
  const rows = await app.store.records.loadSnapshots(accountUuid, object, uuids)
  return new Map(rows.map((row) => [row.recordUuid, row]))
}

async function takeIn(
  app: PollApp,
  { accountUuid, object }: PollTarget,
  { claimedUntil, changes, watermark }: TakenIn,
): Promise<Polled> {
  const at = app.clock.now()
  const bodies = changes.flatMap(({ event }) => event?.body ?? [])
  const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0)
  if (bodies.length > 0 && app.space.admit(accountUuid, bytes, bodies.length) !== 'admitted') return NO_ROOM
  const records = changes.map(
    ({ record, event }): PolledRecord => ({ record, event: event && incoming(accountUuid, object, event, at) }),
  )
  const taken = await app
    .acceptPolled({
      accountUuid,
      source: sourceOf(object),
      object,
      claimedUntil,
      records,
      cursor: watermark === null ? null : { watermark, nextAt: nextPollAt(accountUuid, object, at) },
      at,
    })
    .finally(() => bodies.length > 0 && app.space.settled(bytes, bodies.length))
  if (taken.outcome === 'over_limit') return NO_ROOM
  return taken.outcome === 'overtaken' ? { outcome: 'overtaken' } : LOOKED
}

const LOOKED: Polled = { outcome: 'looked' }
const NO_ROOM: Polled = { outcome: 'failed', failure: { outcome: 'no_room' } }

function incoming(accountUuid: string, object: string, event: PolledEvent, receivedAt: Millis) {
  const { objectUuid, changedFields, body, identity } = event
  // As for posted events: 128 bits of the hash, to keep the index small.
  const dedupe = createHash('sha256').update(identity).digest('base64url').slice(0, 22)
  const source = 'object' as const
  return { accountUuid, subscriptionId: null, source, object, objectUuid, changedFields, receivedAt, dedupe, body }
}

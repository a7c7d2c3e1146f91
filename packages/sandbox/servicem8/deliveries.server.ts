// Platform → add-on: one POST per changed record and subscription, retried for 72 hours of the movable clock.
import { randomUUID } from 'node:crypto'
import { findRecord, zoneOf } from '../accounts.server.ts'
import type { Poster } from '../post.server.ts'
import type { AccountState, DeliveryState, Stage } from '../state.server.ts'
import type { SubscriptionView } from '../world.ts'
import { findObject } from './catalog.ts'
import { objectNotice, type Packed, pack } from './delivery-body.ts'
import { failureReason, INACTIVE_AFTER, meaningOf, RETRY_FOR, retryAt, slowFor } from './delivery-schedule.ts'
import { eventsOf, type NamedEvent, type RecordChange, watchedChanges } from './events.ts'
import { localText } from './local-time.ts'
import { signNotice } from './opening.server.ts'
import { viewOf } from './record-view.ts'

export interface DeliveryEngine {
  announce(account: AccountState, change: RecordChange): void
  /** Sends an event that no record change represents. */
  raise(account: AccountState, event: NamedEvent): void
  wake(): void
  settled(): Promise<void>
  stop(): void
}

/** Parallel deliveries per account; never two for the same record, so that none overtakes another unless one fails. */
const AT_ONCE = 8
const KEEP_FINISHED = 500
const KEEP_WAITING = 5_000
const OVERTAKEN_BY_MS = 1_500

export function createDeliveryEngine(stage: Stage, poster: Poster): DeliveryEngine {
  const flying = new Set<DeliveryState>()
  const waiting: (() => void)[] = []
  let signing = 0
  let cancelWake = () => {}
  let stopped = false

  function announce(account: AccountState, change: RecordChange): void {
    const now = stage.clock.now()
    const object = findObject(change.object)
    if (!object) return
    for (const subscription of account.subscriptions) {
      if (!subscription.active) continue
      if (subscription.kind === 'object' && subscription.subject === change.object) {
        const changed = watchedChanges(change, subscription.fields)
        if (changed) {
          const notice = objectNotice(object, noticeOf(account, change, changed, now), account.options.objectSpelling)
          enqueue(account, subscription, change.after.uuid, pack(notice, account.options.deliveryWrapping))
        }
      }
      if (subscription.kind === 'event') {
        for (const event of eventsOf(change)) tellEvent(account, subscription, event)
      }
    }
    for (const wanted of account.options.manifestWebhooks) {
      const changed = wanted.object === change.object ? watchedChanges(change, wanted.fields) : null
      if (changed) void enqueueManifest(account, change, changed, now)
    }
    wake()
  }

  function raise(account: AccountState, event: NamedEvent): void {
    for (const one of account.subscriptions) if (one.active && one.kind === 'event') tellEvent(account, one, event)
    wake()
  }

  function tellEvent(account: AccountState, subscription: SubscriptionView, event: NamedEvent): void {
    const record = event.type === subscription.subject ? findRecord(account, event.object, event.uuid) : null
    if (!record) return
    const data = viewOf(event.object, record, { ...account.options, iso: false, zone: zoneOf(account) })
    const createdAt = new Date(stage.clock.now()).toISOString()
    const notice = { id: randomUUID(), type: event.type, createdAt, data }
    enqueue(account, subscription, event.uuid, pack(notice, account.options.deliveryWrapping))
  }

  function noticeOf(account: AccountState, change: RecordChange, changed: readonly string[], now: number) {
    return {
      uuid: change.after.uuid,
      changed,
      time: localText(now, zoneOf(account)),
      resourceUrl: `${stage.baseUrl}/api_1.0/${change.object}/${change.after.uuid}.json`,
    }
  }

  async function enqueueManifest(account: AccountState, change: RecordChange, changed: string[], now: number) {
    const object = findObject(change.object)
    if (!object) return
    signing++
    try {
      const notice = objectNotice(object, noticeOf(account, change, changed, now), account.options.objectSpelling)
      const jwt = await signNotice(stage, account, notice)
      const target = { uuid: '', kind: 'manifest', subject: change.object, callbackUrl: addonUrl(stage) } as const
      enqueue(account, target, change.after.uuid, { contentType: 'application/jwt', body: jwt })
    } catch (error) {
      stage.log.error({ error: String(error) }, 'sandbox.sign_failed')
    } finally {
      signing--
      wake()
    }
  }

  function enqueue(
    account: AccountState,
    target: Pick<SubscriptionView, 'uuid' | 'subject' | 'callbackUrl'> & { kind: DeliveryState['kind'] },
    recordUuid: string,
    packed: Packed,
  ): void {
    const { options } = account
    const now = stage.clock.now()
    const copies = options.duplicateDeliveries ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      const id = stage.nextId()
      const dropped = options.dropNextDeliveries > 0
      if (dropped) options.dropNextDeliveries--
      const late = options.reorderDeliveries && id % 2 === 0 ? OVERTAKEN_BY_MS : 0
      account.deliveries.push({
        id,
        accountUuid: account.uuid,
        subscriptionUuid: target.uuid,
        kind: target.kind,
        subject: target.subject,
        recordUuid,
        callbackUrl: target.callbackUrl,
        ...packed,
        createdAt: now,
        state: dropped ? 'dropped' : 'waiting',
        nextAt: dropped ? null : now + options.deliveryDelayMs + late,
        attempts: [],
      })
    }
    trim(account)
    stage.touched()
  }

  /** Sends due deliveries and sets one alarm for the others. */
  function wake(): void {
    if (stopped) return
    cancelWake()
    cancelWake = () => {}
    const now = stage.clock.now()
    let next = Number.POSITIVE_INFINITY
    for (const account of stage.state.accounts.values()) {
      const mine = [...flying].filter((one) => one.accountUuid === account.uuid)
      const busy = new Set(mine.map((one) => one.recordUuid))
      let room = AT_ONCE - mine.length
      const line = account.deliveries.filter((one) => one.nextAt !== null && !flying.has(one))
      line.sort((a, b) => (a.nextAt ?? 0) - (b.nextAt ?? 0) || a.id - b.id)
      for (const delivery of line) {
        const due = Math.max(delivery.nextAt ?? 0, account.slowUntil)
        if (due > now) {
          next = Math.min(next, due)
          continue
        }
        if (room <= 0 || busy.has(delivery.recordUuid)) continue
        busy.add(delivery.recordUuid)
        room--
        void attempt(account, delivery)
      }
    }
    if (next < Number.POSITIVE_INFINITY) cancelWake = stage.clock.wake(next, wake)
    if (flying.size === 0 && signing === 0) for (const tell of waiting.splice(0)) tell()
  }

  async function attempt(account: AccountState, delivery: DeliveryState): Promise<void> {
    flying.add(delivery)
    const startedAt = stage.clock.now()
    const { contentType, body, callbackUrl } = delivery
    const posted = await poster.post(callbackUrl, { contentType, body, timeoutMs: stage.answerMs })
    flying.delete(delivery)
    if (stopped) return
    const at = stage.clock.now()
    delivery.attempts.push({
      at: startedAt,
      status: posted.status,
      error: posted.error,
      durationMs: at - startedAt,
      answer: posted.answer.slice(0, 200),
    })
    // The subscription may have ended meanwhile; then the answer has no effect.
    if (delivery.state === 'waiting') settle(account, delivery, posted.status, at)
    stage.touched()
    wake()
  }

  function settle(account: AccountState, delivery: DeliveryState, status: number | null, at: number): void {
    const subscription = account.subscriptions.find((one) => one.uuid === delivery.subscriptionUuid)
    switch (meaningOf(status)) {
      case 'delivered':
        finish(delivery, 'delivered')
        account.slowSteps = 0
        if (subscription) subscription.failingSince = null
        return
      case 'gone':
        finish(delivery, 'unsubscribed')
        if (subscription) endSubscription(account, subscription)
        return
      case 'slow_down':
        account.slowSteps++
        account.slowUntil = at + slowFor(account.slowSteps)
        again(account, delivery, subscription, at)
        return
      case 'failed':
        again(account, delivery, subscription, at)
        return
    }
  }

  function again(
    account: AccountState,
    delivery: DeliveryState,
    subscription: SubscriptionView | undefined,
    at: number,
  ): void {
    const next = retryAt(delivery.createdAt, delivery.attempts.length, at)
    if (next === null) finish(delivery, 'given_up')
    else delivery.nextAt = Math.max(next, account.slowUntil)
    if (!subscription) return
    subscription.failingSince ??= at
    const failingFor = at - subscription.failingSince
    if (next === null || failingFor > INACTIVE_AFTER) {
      subscription.active = false
      subscription.lastFailureReason = failureReason(next === null ? RETRY_FOR : failingFor)
      subscription.lastFailureAt = at
    }
  }

  return {
    announce,
    raise,
    wake,
    settled: () =>
      new Promise((resolve) => {
        if (stopped) return resolve()
        waiting.push(resolve)
        // One turn of the event loop later, so that the caller's change has been queued.
        setImmediate(wake)
      }),
    stop() {
      stopped = true
      cancelWake()
      for (const tell of waiting.splice(0)) tell()
    },
  }
}

/** The address for the platform's signed calls to this add-on. */
export function addonUrl(stage: Pick<Stage, 'origin'>): string {
  return `${stage.origin}/hooks/servicem8`
}

/** Ends a subscription at the add-on's request: inactive without a failure; its pending deliveries are dropped. */
export function endSubscription(account: AccountState, subscription: SubscriptionView): void {
  subscription.active = false
  subscription.deleted = true
  subscription.lastFailureReason = null
  subscription.lastFailureAt = null
  subscription.failingSince = null
  for (const delivery of account.deliveries) {
    if (delivery.subscriptionUuid === subscription.uuid && delivery.state === 'waiting') {
      finish(delivery, 'unsubscribed')
    }
  }
}

function finish(delivery: DeliveryState, state: DeliveryState['state']): void {
  delivery.state = state
  delivery.nextAt = null
}

function trim(account: AccountState): void {
  if (account.deliveries.length <= KEEP_FINISHED) return
  const waitingOnes = account.deliveries.filter((one) => one.state === 'waiting').slice(-KEEP_WAITING)
  const finished = account.deliveries.filter((one) => one.state !== 'waiting').slice(-KEEP_FINISHED)
  account.deliveries = [...waitingOnes, ...finished].sort((a, b) => a.id - b.id)
}

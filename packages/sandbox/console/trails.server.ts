// "Watch the event travel": the change made here, the platform's posts for it, the requests that reached a receiver.
import { isPolled, recordsText } from '#app/domain/object-catalog.ts'
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { eventOf, type Received } from '../receiver/received.ts'
import type { ReceiverLog } from '../receiver/receiver-log.server.ts'
import type { ChangeResult, DeliveryView, Refusal, SandboxRecord, World } from '../world.ts'

export interface Trail {
  id: number
  accountUuid: string
  at: Millis
  /** The action: `Job 3128 changed from Quote to Work Order.` */
  sentence: string
  /** The related job, or ''. */
  jobUuid: string
  /** The changed record, in words, when the platform posts nothing for it: `job contacts`. Else ''. */
  neverPosted: string
  posts: TrailPost[]
  /** Whether the add-on is subscribed to anything of this account. */
  listening: boolean
}

export interface TrailPost {
  delivery: DeliveryView
  /** The resulting requests at receivers of the stage. */
  received: readonly Received[]
}

interface Doing {
  accountUuid: string
  jobUuid?: string
  /** The changed object, when the job does not imply it. */
  object?: string
  /** The finished action, in words; for a new record, only known afterwards. */
  sentence: string | ((record: SandboxRecord) => string)
  act(): ChangeResult
}

export interface Trails {
  /** Performs the action and records its results; returns the refusal when the platform refused. */
  follow(doing: Doing): { outcome: 'followed'; id: number } | Refusal
  find(id: number): Trail | null
  /** Newest first. */
  all(): Trail[]
  /** Resolves when every post on the trail has been answered, or after a moment: a page must not hang. */
  travelled(id: number): Promise<void>
}

interface Step extends Omit<Trail, 'posts' | 'listening'> {
  /** Ids of the deliveries that were created immediately. */
  deliveryIds: readonly number[]
  /** The newest delivery before the action. */
  after: number
  recordUuids: ReadonlySet<string>
}

const KEEP = 50
const LOOK_BACK = 500
const PATIENCE_MS = 2_500
/** How long the add-on's forward may take after its answer, before the page is rendered without it. */
const FORWARD_MS = 800

type Seen = Pick<World, 'deliveries' | 'subscriptions' | 'options' | 'onChange' | 'clock'>

export function createTrails(world: Seen, receiver: Pick<ReceiverLog, 'names' | 'requests' | 'onChange'>): Trails {
  let steps: Step[] = []
  let nextId = 1

  function viewOf(step: Step): Trail {
    const { deliveryIds, after, recordUuids, ...rest } = step
    const deliveries = world
      .deliveries(step.accountUuid, LOOK_BACK)
      .filter(
        (one) =>
          deliveryIds.includes(one.id) ||
          // Signed posts of the manifest kind are created one turn of the event loop later.
          (one.kind === 'manifest' &&
            one.id > after &&
            one.createdAt < step.at + seconds(1) &&
            recordUuids.has(one.recordUuid)),
      )
      .sort((a, b) => a.id - b.id)
    const arrived = receiver.names().flatMap((name) => receiver.requests(name))
    const posts = deliveries.map((delivery) => ({ delivery, received: arrivalsOf(delivery, arrived) }))
    const listening =
      world.subscriptions(step.accountUuid).some((one) => one.active) ||
      world.options(step.accountUuid).manifestWebhooks.length > 0
    return { ...rest, posts, listening }
  }

  function find(id: number): Trail | null {
    const step = steps.find((one) => one.id === id)
    return step ? viewOf(step) : null
  }

  return {
    follow({ accountUuid, jobUuid = '', object = '', sentence, act }) {
      const after = world.deliveries(accountUuid, 1)[0]?.id ?? 0
      const at = world.clock.now()
      const result = act()
      if (result.outcome === 'refused') return result
      const made = world.deliveries(accountUuid, LOOK_BACK).filter((one) => one.id > after)
      const id = nextId++
      const recordUuids = new Set([result.record.uuid, jobUuid, ...made.map((one) => one.recordUuid)])
      const deliveryIds = made.map((one) => one.id)
      const words = typeof sentence === 'string' ? sentence : sentence(result.record)
      const neverPosted = isPolled(object) ? recordsText(object) : ''
      const step = { id, accountUuid, at, sentence: words, jobUuid, neverPosted, deliveryIds, after, recordUuids }
      steps = [step, ...steps].slice(0, KEEP)
      return { outcome: 'followed', id }
    },
    find,
    all: () => steps.map(viewOf),
    travelled(id) {
      return new Promise((resolve) => {
        let forwardTimer: NodeJS.Timeout | undefined
        const done = () => {
          clearTimeout(forwardTimer)
          clearTimeout(timer)
          for (const stop of stops) stop()
          resolve()
        }
        const look = () => {
          const trail = find(id)
          if (!trail || trail.posts.length === 0) return done()
          if (trail.posts.some((one) => isOnItsWay(one, world.clock.now()))) return
          const delivered = trail.posts.filter((one) => one.delivery.state === 'delivered')
          if (delivered.every((one) => one.received.length > 0)) return done()
          forwardTimer ??= setTimeout(done, FORWARD_MS)
        }
        const timer = setTimeout(done, PATIENCE_MS)
        const stops = [world.onChange(look), receiver.onChange(look)]
        // One turn of the event loop later, so that a signed post has been created.
        setImmediate(look)
      })
    },
  }
}

function isOnItsWay({ delivery }: TrailPost, now: Millis): boolean {
  return delivery.state === 'waiting' && (delivery.attempts.length === 0 || (delivery.nextAt ?? 0) <= now)
}

/** Matches by record, and by changed fields and the platform's own mark when both sides have them. */
function arrivalsOf(delivery: DeliveryView, arrived: readonly Received[]): Received[] {
  const posted = eventOf(delivery.body)
  return arrived
    .filter((request) => {
      if (request.at < delivery.createdAt) return false
      const event = eventOf(request.body)
      if (!event || event.uuid !== delivery.recordUuid) return false
      if (!posted) return true
      if (posted.mark !== '' && event.mark !== '' && posted.mark !== event.mark) return false
      return !posted.changed || !event.changed || sameNames(posted.changed, event.changed)
    })
    .sort((a, b) => a.id - b.id)
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && [...a].sort().join() === [...b].sort().join()
}

// Random outside actions on the engine: events, people, receivers' moods, and accidents.
import { AMPLE_SPACE } from '#app/domain/space.ts'
import { cancelReplay, replaySince, sendAgain, sendTest } from '#app/features/events/delivering/send-again.server.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import type { IncomingEvent } from '#db/store/events.ts'
import type { Chance } from '../stage/chance.ts'
import { newMood } from './answers.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { see } from './model.ts'
import { addWebhook } from './setting.server.ts'
import type { Process, World } from './types.ts'

export interface Scene {
  world: World
  chance: Chance
  accounts: readonly string[]
  events: IncomingEvent[]
  made: number
  /** Scheduled actions: a process restarts, a frozen one continues. */
  upcoming: { at: number; what: string; run(): void }[]
}

export type Act = (scene: Scene) => string | null

export function drawAct({ chance, world }: Scene): Act {
  const act = chance.weighted<Act>([
    [30, eventsArrive],
    [4, eventRepeats],
    [4, unansweredRepeat],
    [14, moodChanges],
    [7, pauseOrResume],
    [9, retryByHand],
    [3, replay],
    [2, replayIsCancelled],
    [3, test],
    [0.4, webhookIsDeleted],
    [2, processIsKilled],
    [4, processWillBeKilled],
    [2, processIsReplaced],
    [1.5, processOverlaps],
    [1.5, processFreezes],
    [0.7, machineSleeps],
  ])
  return (scene) => {
    const told = act(scene)
    if (told !== null) see(world.model, `step: ${act.name}`)
    return told
  }
}

const alive = ({ world }: Scene) => world.processes.filter((one) => one.state === 'alive')

/** A running process that a request reaches; null when none answers. */
function anyProcess(scene: Scene): Process | null {
  const processes = alive(scene)
  return processes.length === 0 ? null : scene.chance.pick(processes)
}

const living = ({ world }: Scene) => [...world.model.endpoints.values()].filter(({ state }) => state !== 'deleted')

function eventFor({ world, chance, made }: Scene, { account, object }: ModelEndpoint): IncomingEvent {
  const record = chance.hit(0.6) ? `${object}-record-${chance.whole(1, 5)}` : `${object}-single-${made}`
  return {
    accountUuid: account,
    subscriptionId: null,
    source: 'object',
    object,
    objectUuid: record,
    changedFields: ['status'],
    receivedAt: world.clock.now(),
    dedupe: `event-${made}`,
    body: JSON.stringify({ object, entry: [{ uuid: record, changed_fields: ['status'] }], n: made }),
  }
}

export function eventsArrive(scene: Scene): string | null {
  const endpoint = scene.chance.pick(living(scene))
  const count = scene.chance.hit(0.1) ? scene.chance.whole(10, 40) : scene.chance.whole(1, 5)
  const process = anyProcess(scene)
  for (let n = 0; n < count; n++) {
    scene.made++
    const event = eventFor(scene, endpoint)
    scene.events.push(event)
    if (process) scene.world.accept(process, event)
    else scene.world.unanswered.push(event)
  }
  return `${count} events of ${endpoint.object} for ${endpoint.account} reach ${process?.name ?? 'nobody'}`
}

function eventRepeats(scene: Scene): string | null {
  const process = anyProcess(scene)
  if (!process || scene.events.length === 0) return null
  const event = { ...scene.chance.pick(scene.events.slice(-100)), receivedAt: scene.world.clock.now() }
  const times = scene.chance.whole(1, 3)
  for (let n = 0; n < times; n++) scene.world.accept(process, event)
  return `${event.dedupe} comes again, ${times} times, to ${process.name}`
}

/** The platform repeats events that were not answered, or were refused. */
export function unansweredRepeat(scene: Scene): string | null {
  const process = anyProcess(scene)
  const events = scene.world.unanswered.splice(0)
  if (!process || events.length === 0) {
    scene.world.unanswered.push(...events)
    return null
  }
  for (const event of events) scene.world.accept(process, { ...event, receivedAt: scene.world.clock.now() })
  return `${events.length} unanswered events come again to ${process.name}`
}

function moodChanges(scene: Scene): string | null {
  const endpoint = scene.chance.pick(living(scene))
  const mood = newMood(scene.chance)
  scene.world.moods.set(endpoint.id, mood)
  return `endpoint ${endpoint.id} ${mood.name}`
}

function pauseOrResume(scene: Scene): string | null {
  const process = anyProcess(scene)
  if (!process) return null
  const shut = living(scene).filter(({ state }) => state !== 'active')
  const endpoint = scene.chance.pick(shut.length > 0 && scene.chance.hit(0.5) ? shut : living(scene))
  const resume = scene.chance.hit(endpoint.state === 'active' ? 0.2 : 0.7)
  return changeActive(scene, process, endpoint, resume)
}

/** Uses either of the product's two ways to resume. */
export function changeActive(
  { world, chance }: Scene,
  process: Process,
  endpoint: ModelEndpoint,
  active: boolean,
): string {
  const now = world.clock.now()
  const { store, engine } = process
  const { id, account, webhookId, ruleId } = endpoint
  const viaForm = !active || chance.hit(0.5)
  const ref =
    webhookId === null ? { kind: 'extra' as const, id: ruleId ?? 0 } : { kind: 'webhook' as const, id: webhookId }
  const change = viaForm
    ? store.endpoints.updateEndpoint(account, ref, { active, subscription: null, at: now })
    : store.deliveries.resumeEndpoint(account, id, now)
  fail(
    world,
    change.then(() => engine.wake(id)),
  )
  return `endpoint ${id} is ${active ? 'resumed' : 'paused'} through ${process.name}${viaForm ? ' (its form)' : ''}`
}

function fail(world: World, promise: Promise<unknown>): void {
  promise.catch((error: unknown) => world.model.violate(`something threw: ${String(error)}`))
}

const appOf = ({ store, clock, engine }: Process, world: World) => ({
  store,
  clock,
  log: world.log,
  wakeDeliveries: engine.wake,
  deliverNow: engine.deliverNow,
  space: AMPLE_SPACE,
})

function retryByHand(scene: Scene): string | null {
  const process = anyProcess(scene)
  const deliveries = [...scene.world.model.deliveries.values()].filter(({ cause }) => cause !== 'test')
  if (!process || deliveries.length === 0) return null
  const { id, account } = scene.chance.pick(scene.chance.hit(0.7) ? deliveries.slice(-60) : deliveries)
  fail(scene.world, sendAgain(appOf(process, scene.world), account, id))
  return `delivery ${id} is sent again by hand through ${process.name}`
}

function replay(scene: Scene): string | null {
  const process = anyProcess(scene)
  if (!process) return null
  const { world, chance } = scene
  const open = living(scene).filter(({ state }) => state === 'active')
  const endpoint = chance.pick(open.length > 0 && chance.hit(0.9) ? open : living(scene))
  const since = world.clock.now() - chance.span(minutes(1), hours(24))
  const status = chance.hit(0.6) ? 'failed' : 'all'
  const objectUuid = chance.hit(0.2) ? `${endpoint.object}-record-${chance.whole(1, 5)}` : null
  const request = { since, status, objectUuid } as const
  fail(world, replaySince(appOf(process, world), endpoint.account, endpoint.id, request))
  return `everything (${status}) since ${Math.round((world.clock.now() - since) / 60_000)} min ago is replayed to endpoint ${endpoint.id} through ${process.name}`
}

function replayIsCancelled(scene: Scene): string | null {
  const process = anyProcess(scene)
  const replays = [...scene.world.model.replays.values()].filter(({ cancelledAt }) => cancelledAt === null)
  if (!process || replays.length === 0) return null
  const { id, endpointId } = scene.chance.pick(replays.slice(-4))
  const account = scene.world.model.endpoints.get(endpointId)?.account ?? ''
  fail(scene.world, cancelReplay(appOf(process, scene.world), account, id))
  return `replay ${id} is cancelled through ${process.name}`
}

function test(scene: Scene): string | null {
  const process = anyProcess(scene)
  if (!process) return null
  const { id, account, object } = scene.chance.pick(living(scene))
  scene.made++
  const body = JSON.stringify({ object, sample: true, n: scene.made })
  const sample = { object, objectUuid: `sample-${scene.made}`, changedFields: ['status'], body }
  fail(scene.world, sendTest(appOf(process, scene.world), account, id, sample))
  return `a test is sent to endpoint ${id} through ${process.name}`
}

function webhookIsDeleted(scene: Scene): string | null {
  const process = anyProcess(scene)
  const endpoint = living(scene).find(({ webhookId }) => webhookId !== null && scene.chance.hit(0.5))
  if (!process || !endpoint || endpoint.webhookId === null) return null
  const { world } = scene
  const { account, webhookId, id, object } = endpoint
  const input = { reason: 'It was deleted.', endSubscriptions: false, at: world.clock.now() }
  const { engine, store } = process
  fail(
    world,
    store.endpoints.deleteEndpoint(account, { kind: 'webhook', id: webhookId }, input).then(() => {
      engine.wake(id)
      return addWebhook(world, process, account, object, newMood(scene.chance))
    }),
  )
  return `the webhook of endpoint ${id} is deleted through ${process.name}, and made again`
}

function comesBack(scene: Scene, afterMs: number): void {
  const { world } = scene
  const at = world.clock.now() + afterMs
  scene.upcoming.push({ at, what: 'a process starts', run: () => void world.open() })
}

/** Sooner or later a process starts again, unless another one runs. */
export function keepRunning(scene: Scene): void {
  const { world, chance, upcoming } = scene
  for (const dead of world.processes.filter(({ state }) => state === 'dead')) {
    world.processes.splice(world.processes.indexOf(dead), 1)
  }
  if (world.processes.length === 0 && upcoming.length === 0) comesBack(scene, chance.span(100, minutes(20)))
}

function processIsKilled(scene: Scene): string | null {
  const process = anyProcess(scene)
  if (!process) return null
  scene.world.kill(process)
  if (scene.chance.hit(0.5)) comesBack(scene, scene.chance.span(100, minutes(5)))
  return `${process.name} is killed`
}

const CRASHES = [
  'acceptEvents',
  'settleAttempts',
  'loadDeliveries',
  'dueDeliveries',
  'adoptEndpoints',
  'tidyAfterRestart',
  'endStoppedStep',
  'expireHeldStep',
  'growReplayStep',
  'acquireLease',
  'endpointsWithWork',
  'retryDelivery',
] as const

function processWillBeKilled(scene: Scene): string | null {
  const process = anyProcess(scene)
  if (!process) return null
  process.crash = { method: scene.chance.pick(CRASHES), when: scene.chance.hit(0.5) ? 'before' : 'after' }
  return `${process.name} will end ${process.crash.when} ${process.crash.method}`
}

function processIsReplaced(scene: Scene): string | null {
  const process = anyProcess(scene)
  if (!process) return null
  const { world, chance } = scene
  const early = chance.hit(0.5)
  if (early && world.processes.length === 1) world.open()
  drain(scene, process, () => {
    if (!early) comesBack(scene, chance.span(100, minutes(5)))
  })
  return `${process.name} drains${early ? ', its successor is up' : ''}`
}

function drain({ world }: Scene, process: Process, then: () => void): void {
  process.state = 'draining'
  fail(
    world,
    process.engine.drain().then(() => {
      world.kill(process)
      world.note(`${process.name} has drained`)
      then()
    }),
  )
}

/** A second process for a while, as during a rollout of a new version; either may be the one that stays. */
function processOverlaps(scene: Scene): string | null {
  const { world, chance } = scene
  const [first] = alive(scene)
  if (world.processes.length !== 1 || !first) return null
  const second = world.open()
  const leaves = chance.hit(0.6) ? first : second
  const run = () => {
    if (leaves.state === 'alive') drain(scene, leaves, () => {})
  }
  const at = world.clock.now() + chance.span(minutes(1), hours(3))
  scene.upcoming.push({ at, what: `${leaves.name} drains`, run })
  return `${second.name} starts beside ${first.name}`
}

function processFreezes(scene: Scene): string | null {
  const process = anyProcess(scene)
  if (!process) return null
  const { world, chance } = scene
  process.state = 'frozen'
  const forMs = chance.span(seconds(1), world.options.beatMs * 8)
  const run = () => {
    if (process.state !== 'frozen') return
    world.model.awakeSince = world.clock.now()
    world.thaw(process)
  }
  scene.upcoming.push({ at: world.clock.now() + forMs, what: `${process.name} goes on`, run })
  return `${process.name} freezes for ${Math.round(forMs / 1000)} s`
}

function machineSleeps({ world, chance }: Scene): string | null {
  const forMs = chance.span(seconds(5), hours(3))
  world.clock.leap(forMs)
  world.model.awakeSince = world.clock.now()
  return `the machine sleeps for ${Math.round(forMs / 1000)} s`
}

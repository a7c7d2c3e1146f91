// One run: 72 random hours of everything that can happen, drawn from a seed and checked by the model.
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { createChance } from '../stage/chance.ts'
import { changeActive, drawAct, eventsArrive, keepRunning, type Scene, unansweredRepeat } from './acts.server.ts'
import { hopelessMood, PICKY, WORKS } from './answers.ts'
import { audit, auditFile } from './audit.server.ts'
import { checkNothingForgotten } from './model.ts'
import type { Sabotage } from './sabotage.ts'
import { drawOptions, furnish } from './setting.server.ts'
import type { World } from './types.ts'
import { createWorld } from './world.server.ts'

export interface RunOptions {
  seed: number
  hours: number
  /** Compares counters with rows every this many steps. */
  auditEvery: number
  sabotage?: Sabotage
}

export interface RunResult {
  seed: number
  steps: number
  /** Simulated time, ms. */
  lasted: number
  events: number
  deliveries: number
  requests: number
  /** How often each situation occurred. */
  seen: Record<string, number>
  processes: number
  ends: Record<'delivered' | 'expired' | 'stopped', number>
  violations: string[]
  /** The last steps and their effects. */
  trail: string[]
}

const KEPT_STEPS = 30
const LINES_PER_STEP = 25

export async function runSeed(options: RunOptions): Promise<RunResult> {
  const trail = createTrail()
  const world = createWorld({ ...drawOptions(options.seed), sabotage: options.sabotage ?? null }, trail.note)
  trail.clock = world.clock.now
  const began = world.clock.now()
  try {
    const first = world.open()
    const accounts = await furnish(world, first)
    const scene: Scene = {
      world,
      chance: createChance(options.seed, 'steps'),
      accounts,
      events: [],
      made: 0,
      upcoming: [],
    }
    let steps = 0
    const step = async (title: string, act: () => string | null, waitMs: number) => {
      trail.step(title)
      const told = act()
      if (told) trail.note(told)
      await passTime(scene, waitMs)
      keepRunning(scene)
      checkLiveness(world)
      if (++steps % options.auditEvery === 0) audit(world.model, world.onlooker)
      return world.violations.length === 0
    }

    const until = began + hours(options.hours)
    let good = true
    while (good && world.clock.now() < until) {
      const act = drawAct(scene)
      good = await step(`step ${steps + 1}`, () => act(scene), drawWait(scene))
    }
    if (good) {
      const ending = scene.chance.weighted([
        [2, async () => true],
        [1, everythingFails],
        [1, someEventsFail],
      ])
      good = await ending(scene, step)
    }
    if (good) good = await everythingHeals(scene, step)
    if (good) checkEnd(world)
    audit(world.model, world.onlooker)
    auditFile(world.model, world.onlooker)
    return {
      ...figures(world, scene),
      seed: options.seed,
      steps,
      lasted: world.clock.now() - began,
      trail: trail.lines(),
    }
  } finally {
    world.close()
  }
}

function drawWait({ chance }: Scene): number {
  return chance.weighted<() => number>([
    [20, () => 0],
    [30, () => chance.span(1, seconds(5))],
    [25, () => chance.span(seconds(5), minutes(2))],
    [17, () => chance.span(minutes(2), minutes(20))],
    [8, () => chance.span(minutes(20), hours(4))],
  ])()
}

/** Advances the time, stopping for every scheduled action. */
async function passTime({ world, upcoming }: Scene, ms: number): Promise<void> {
  const until = world.clock.now() + ms
  await world.clock.settle()
  for (;;) {
    upcoming.sort((a, b) => a.at - b.at)
    const next = upcoming[0]
    if (!next || next.at > until) break
    upcoming.shift()
    await world.clock.run(Math.max(0, next.at - world.clock.now()))
    world.note(next.what)
    next.run()
    await world.clock.settle()
  }
  await world.clock.run(Math.max(0, until - world.clock.now()))
}

function checkLiveness(world: World): void {
  const holder = world.leaseHolder()
  const owner = world.processes.find(({ name }) => name === holder)
  if (owner?.state !== 'alive' || world.model.owner?.name !== owner.name) return
  checkNothingForgotten(world.model, world.clock.now())
}

type Step = (title: string, act: () => string | null, waitMs: number) => Promise<boolean>

/** No address ever works again: everything must end at its deadline, and not before. */
async function everythingFails(scene: Scene, step: Step): Promise<boolean> {
  const { world, chance } = scene
  for (const id of world.moods.keys()) world.moods.set(id, hopelessMood(chance))
  if (!(await step('nothing works any more', () => null, minutes(30)))) return false
  return threeDaysMore(scene, step, () => null)
}

/** Addresses work, but some events are always rejected: those get a last attempt at the deadline. */
async function someEventsFail(scene: Scene, step: Step): Promise<boolean> {
  const { world, chance } = scene
  for (const id of world.moods.keys()) world.moods.set(id, PICKY)
  if (!(await step('addresses are picky', () => resumeAll(scene), minutes(30)))) return false
  return threeDaysMore(scene, step, () => (chance.hit(0.5) ? eventsArrive(scene) : null))
}

async function threeDaysMore(scene: Scene, step: Step, act: () => string | null): Promise<boolean> {
  const { world } = scene
  const began = world.clock.now()
  for (let hour = 0; hour < 76; hour++) {
    if (!(await step(`${hour + 1} h later`, act, hours(1)))) return false
  }
  for (const one of world.model.deliveries.values()) {
    const paused = world.model.endpoints.get(one.endpointId)?.state === 'paused'
    if (one.state !== 'pending' || paused || one.createdAt > began) continue
    // Its 72 hours restarted when its endpoint came back or a restart forgave it.
    if (one.deadlineAt > world.clock.now() - minutes(10)) continue
    world.model.violate(`delivery ${one.id} (${one.cause}) still waits long after its deadline`)
  }
  return world.violations.length === 0
}

/** Everything works again and everybody presses "resume": all pending deliveries must arrive. */
async function everythingHeals(scene: Scene, step: Step): Promise<boolean> {
  const { world } = scene
  const quiet = () => {
    for (const process of world.processes) process.crash = null
    for (const id of world.moods.keys()) world.moods.set(id, WORKS)
    return 'everything works again'
  }
  if (!(await step('recovery', quiet, world.options.beatMs * 10 + minutes(30)))) return false
  if (!(await step('resumption', () => resumeAll(scene), minutes(30)))) return false
  for (let hour = 0; hour < 26; hour++) {
    const left = [...world.model.deliveries.values()].some(({ state }) => state === 'pending')
    if (!left && world.unanswered.length === 0) return true
    if (!(await step(`${hour + 1} h after`, () => unansweredRepeat(scene), hours(1)))) return false
  }
  return true
}

function resumeAll(scene: Scene): string | null {
  const { world } = scene
  const process = world.processes.find(({ name, state }) => name === world.leaseHolder() && state === 'alive')
  if (!process) return null
  for (const endpoint of world.model.endpoints.values()) {
    if (endpoint.state !== 'deleted') changeActive(scene, process, endpoint, true)
  }
  return 'everything is resumed'
}

function checkEnd({ model, unanswered, onlooker }: World): void {
  for (const one of model.deliveries.values()) {
    if (one.state === 'pending') model.violate(`delivery ${one.id} (${one.cause}) waits although everything works`)
  }
  if (unanswered.length > 0) model.violate(`${unanswered.length} events are refused although nothing waits`)
  const running = onlooker.sql.prepare("SELECT id FROM replay WHERE state = 'running'").all()
  if (running.length > 0) model.violate(`${running.length} replays do not come to an end`)
}

function figures({ model, violations, processes }: World, scene: Scene) {
  const ends = { delivered: 0, expired: 0, stopped: 0 }
  for (const { state } of model.deliveries.values()) if (state !== 'pending') ends[state]++
  return {
    events: scene.made,
    deliveries: model.deliveries.size,
    requests: model.counts.requests,
    seen: Object.fromEntries(model.seen),
    processes: Number(processes.at(-1)?.name.slice(1) ?? 0),
    ends,
    violations,
  }
}

/** The last steps and their effects, for debugging. */
function createTrail() {
  const steps: string[][] = []
  let begins: number | null = null
  const trail = {
    clock: () => 0,
    note(line: string) {
      const lines = steps.at(-1)
      if (!lines) return
      if (lines.length < LINES_PER_STEP || line.startsWith('!!')) lines.push(`    ${moment()}  ${line}`)
      else if (lines.at(-1) !== '    …') lines.push('    …')
    },
    step(title: string) {
      steps.push([`  ${moment()}  ${title}`])
      if (steps.length > KEPT_STEPS) steps.shift()
    },
    lines: () => steps.flat(),
  }
  function moment(): string {
    begins ??= trail.clock()
    const ms = trail.clock() - begins
    return `+${Math.floor(ms / 3_600_000)}:${new Date(ms).toISOString().slice(14, 23)}`
  }
  return trail
}

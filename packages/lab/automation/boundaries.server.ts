// Kills the process of runs at every boundary, on a real file and a platform that remembers every call.
import { DEFAULT_ACCOUNT_GUARDS } from '#app/features/automations/rules/guards.ts'
import type { RunParts } from '#app/features/automations/runs/run-inputs.server.ts'
import { seconds } from '#app/lib/duration.ts'
import { type AutomationWorld, automationWorld, LEEDS } from '#tests/support/automation-world.server.ts'
import { createChance } from '../stage/chance.ts'
import { type JudgedRun, judgeRecords, judgeRun, NOTHING_FOUND, type RunFinding, settleByHand } from './judge.server.ts'
import { type Death, mortal } from './kill.server.ts'
import { anyRule, MATERIAL } from './rules.ts'

export interface KillFinding extends RunFinding {
  /** Runs whose process was killed once or twice. */
  killed: number
  deaths: number
  /** Rules whose boundaries were all tried. */
  rules: number
  /** Number of kills by kind of boundary. */
  places: Map<string, number>
  /** Seconds from the end of a process until the next one has claimed the run. */
  resumedAfter: number[]
}

export interface KillProof {
  seed: number
  /** Number of runs to kill; after that, the current rule is continued to its last boundary. */
  runs: number
  /** A control: assembles the code that performs effects wrongly, and the proof must detect that. */
  sabotage?(parts: RunParts): RunParts
  onProgress?(killed: number): void
}

/** Maximum time from the end of a process until the run continues, s. */
export const RESUMED_WITHIN = 90

export async function killAtEveryBoundary(proof: KillProof): Promise<KillFinding> {
  const { runs } = proof
  const finding: KillFinding = {
    ...NOTHING_FOUND,
    killed: 0,
    deaths: 0,
    rules: 0,
    places: new Map(),
    resumedAfter: [],
    wrong: [],
  }
  for (let rule = 0; finding.killed < runs; rule++) await goThrough(proof, finding, rule)
  return finding
}

/** Every rule has a firm of its own: conversations of earlier runs would be listened to, and slow down all that follow. */
async function goThrough(proof: KillProof, finding: KillFinding, rule: number): Promise<void> {
  const { seed, onProgress } = proof
  const world = await automationWorld()
  world.platform.put(LEEDS, 'material', { uuid: MATERIAL, name: 'Pipe', item_number: 'P1', price: '5.00' })
  // So many runs within a simulated day exceed the account's daily limit.
  const limits = { ruleDailyCap: 100_000, accountDailyCap: 100_000, floodPerHour: 100_000 }
  await world.store.runs.saveAccountGuards(LEEDS, { ...DEFAULT_ACCOUNT_GUARDS, ...limits }, 0)
  try {
    // First a run without a kill: it shows which boundaries exist.
    const whole = await oneRun(world, finding, proof, `${seed}.${rule}`, 'whole', [])
    for (let at = 0; at < whole; at++) {
      const chance = createChance(seed, `${rule}/${at}`)
      const lateMs = chance.hit(0.5) ? chance.span(seconds(1), seconds(40)) : null
      const deaths: Death[] = [{ at, lateMs }]
      // Killed again soon after the run was resumed.
      if (chance.hit(0.25)) deaths.push({ at: chance.whole(0, 12), lateMs: null })
      await oneRun(world, finding, proof, `${seed}.${rule}`, String(at), deaths)
      onProgress?.(finding.killed)
    }
    judgeRecords(world, finding)
    finding.rules++
  } finally {
    await world.close()
  }
}

/** Maximum time for a run to end; its retries take minutes. */
const MOST_WAIT = seconds(60 * 60)
/** Calls that were in flight when a process ended have arrived by then. */
const ARRIVED = seconds(45)
const LIVES: Death = { at: Number.POSITIVE_INFINITY, lateMs: null }

/** Runs its own rule and job once, killing the process as told. Returns how many boundaries the first one reached. */
async function oneRun(
  world: AutomationWorld,
  finding: KillFinding,
  { sabotage }: KillProof,
  ruleName: string,
  tag: string,
  deaths: readonly Death[],
): Promise<number> {
  const { clock } = world
  const name = `${ruleName}/${tag}`
  const chance = createChance(1, name)
  const job = world.job(LEEDS)
  // The same rule for every boundary; its texts contain the run's mark.
  const rule = await world.rule(anyRule(createChance(7, ruleName), name))
  const runId = await world.start(rule, [job])
  const begin = (death: Death | undefined) => {
    const process = mortal(clock, death ?? LIVES)
    const engine = world.engine({ ...process, ...(sabotage && { parts: sabotage }) })
    engine.start()
    return { process, engine }
  }

  const first = begin(deaths[0])
  let alive = first
  for (let next = 1; next <= deaths.length; next++) {
    const { process } = alive
    await until(world, () => process.isDead() || isEnded(world, runId))
    if (!process.isDead()) break
    finding.deaths++
    const place = process.places.at(-1) ?? ''
    finding.places.set(place, (finding.places.get(place) ?? 0) + 1)
    const wasEnded = isEnded(world, runId)
    await clock.run(chance.span(seconds(1), seconds(20)))
    alive = begin(deaths[next])
    if (wasEnded) continue
    await noteResumed(world, finding, name, process.diedAt() ?? 0, alive.process)
  }
  alive.process.spare()
  await until(world, () => isEnded(world, runId))
  await clock.run(ARRIVED)
  if (first.process.isDead()) finding.killed++

  const judged: JudgedRun = { name, account: LEEDS, runId }
  if ((await settleByHand(world, finding, judged, alive.engine.wake)) > 0) {
    await clock.run(seconds(1))
    await until(world, () => isEnded(world, runId))
  }
  await judgeRun(world, finding, judged)
  const drained = alive.engine.drain()
  await clock.run(seconds(1))
  await drained
  return first.process.places.length
}

async function noteResumed(
  world: AutomationWorld,
  finding: KillFinding,
  name: string,
  diedAt: number,
  process: ReturnType<typeof mortal>,
): Promise<void> {
  await until(world, () => process.tookUpAt() !== null || process.isDead())
  const after = ((process.tookUpAt() ?? world.clock.now()) - diedAt) / 1000
  finding.resumedAfter.push(after)
  if (after > RESUMED_WITHIN) finding.wrong.push(`${name}: taken up again only after ${after} s`)
}

function isEnded(world: AutomationWorld, runId: number): boolean {
  const [row] = world.rows('SELECT state FROM run WHERE id = ?', runId)
  return row?.state === 'done' || row?.state === 'held'
}

/** Advances the time, in steps, until the condition holds; at most an hour. */
async function until(world: AutomationWorld, isSo: () => boolean): Promise<void> {
  await world.clock.settle()
  for (let waited = 0; !isSo() && waited < MOST_WAIT; waited += seconds(1)) await world.clock.run(seconds(1))
}

/** Treats messages to customers like those to staff: repeats them when in doubt. Disables the journal's safeguard. */
export function withoutCare(parts: RunParts): RunParts {
  const careless = (type: 'send_sms' | 'send_email'): RunParts['actions'][typeof type] => ({
    async plan(context) {
      const plan = await parts.actions[type].plan(context)
      if (plan.outcome !== 'planned') return plan
      const effects = plan.effects.map((effect) =>
        effect.kind === 'send_sms' || effect.kind === 'send_email' ? { ...effect, class: 'staff' as const } : effect,
      )
      return { ...plan, effects }
    },
  })
  // The platform's own history of texts would still prevent most repetitions.
  const committer: RunParts['committer'] = {
    ...parts.committer,
    verify: (effect, context) =>
      effect.kind === 'send_sms' || effect.kind === 'send_email'
        ? Promise.resolve({ outcome: 'not_done' })
        : parts.committer.verify(effect, context),
  }
  return {
    ...parts,
    committer,
    actions: { ...parts.actions, send_sms: careless('send_sms'), send_email: careless('send_email') },
  }
}

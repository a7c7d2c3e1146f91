// Many runs at once while processes are killed at random and the platform loses answers, is late, fails and refuses: no
// customer may get a message twice, and every run must end.
import { minutes, seconds } from '#app/lib/duration.ts'
import { type AutomationWorld, automationWorld, BRISBANE, LEEDS } from '#tests/support/automation-world.server.ts'
import type { Fate } from '#tests/support/platform-in-process.server.ts'
import { type Chance, createChance } from '../stage/chance.ts'
import { type JudgedRun, judgeRecords, judgeRun, NOTHING_FOUND, type RunFinding, settleByHand } from './judge.server.ts'
import { mortal } from './kill.server.ts'
import { anyRule, MATERIAL } from './rules.ts'

export interface StormFinding extends RunFinding {
  runs: number
  deaths: number
  exchanges: number
  /** Exchanges that failed. */
  faults: number
}

export interface StormProof {
  seed: number
  runs: number
  deaths: number
}

/** Outcomes with their weights. */
const FATES: readonly (readonly [number, Fate])[] = [
  [85, 'well'],
  [4, 'answer_lost'],
  [3, 'done_late'],
  [4, 'not_reached'],
  [2, 'broken'],
  [2, 'too_many'],
]

export async function storm({ seed, runs, deaths }: StormProof): Promise<StormFinding> {
  const world = await automationWorld()
  const chance = createChance(seed, 'storm')
  const finding: StormFinding = { ...NOTHING_FOUND, runs, deaths: 0, exchanges: 0, faults: 0, wrong: [] }
  try {
    const judged = await startRuns(world, chance, seed, runs)
    world.platform.fate = () => {
      const fate = chance.weighted(FATES)
      finding.exchanges++
      if (fate !== 'well') finding.faults++
      return fate
    }
    for (let death = 0; death < deaths && !areEnded(world); death++) {
      const lateMs = chance.hit(0.5) ? chance.span(seconds(1), seconds(40)) : null
      const process = mortal(world.clock, { at: chance.whole(5, 120), lateMs })
      world.engine(process).start()
      for (let waited = 0; !process.isDead() && waited < 600 && !areEnded(world); waited++)
        await world.clock.run(seconds(1))
      if (process.isDead()) finding.deaths++
      else process.end()
      await world.clock.run(chance.span(seconds(1), seconds(20)))
    }
    await calmDown(world, finding, judged)
    for (const one of judged) await judgeRun(world, finding, one)
    judgeRecords(world, finding)
  } finally {
    await world.close()
  }
  return finding
}

async function startRuns(world: AutomationWorld, chance: Chance, seed: number, runs: number): Promise<JudgedRun[]> {
  const judged: JudgedRun[] = []
  for (const account of [LEEDS, BRISBANE]) {
    world.platform.put(account, 'material', { uuid: MATERIAL, name: 'Pipe', item_number: 'P1', price: '5.00' })
  }
  for (let run = 0; run < runs; run++) {
    const account = chance.pick([LEEDS, BRISBANE])
    const name = `${seed}-${run}`
    const rule = await world.rule(anyRule(chance, name), account)
    const wakeAt = world.clock.now() + chance.whole(0, minutes(3))
    judged.push({ name, account, runId: await world.start(rule, [world.job(account)], { wakeAt }, account) })
  }
  return judged
}

/** Ends all faults, and a person settles what is unclear. */
async function calmDown(world: AutomationWorld, finding: StormFinding, judged: readonly JudgedRun[]): Promise<void> {
  world.platform.fate = () => 'well'
  // Hours may pass: renewing a lease every 3 s would take long.
  const engine = world.engine({}, { beatMs: minutes(1) })
  engine.start()
  for (let round = 0; round < 5; round++) {
    for (let waited = 0; !areEnded(world) && waited < 36 * 60; waited++) await world.clock.run(minutes(1))
    let open = 0
    for (const one of judged) open += await settleByHand(world, finding, one, engine.wake)
    if (open === 0) return
    await world.clock.run(seconds(1))
  }
}

function areEnded(world: AutomationWorld): boolean {
  return world.rows("SELECT 1 FROM run WHERE state NOT IN ('done', 'held') LIMIT 1").length === 0
}

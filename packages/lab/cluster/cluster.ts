// Prints what three instances on one PostgreSQL lose, repeat or hold up when something happens to one of them.
import { parseArgs } from 'node:util'
import { SHARES } from '#db/postgres/share-of.server.ts'
import { percentile } from '../report/arguments.ts'
import { none, type ProofReport, proofReport } from '../report/report.ts'
import { type Checkout, pause } from '../stage/server.ts'
import { tokensRenewed } from './account.ts'
import { WATCH_SQL } from './fence.ts'
import {
  type CutSeen,
  cut,
  type DatabaseSeen,
  databaseEnds,
  freeze,
  freezeInside,
  gatesSql,
  kill,
  rolling,
} from './happenings.ts'
import { judge, judgeCuts, judgeDatabase, judgeFence, judgeRuns, type Saying } from './judge.ts'
import { FENCE_OFF, NO_BELL, OWN_RELEASE, withNextRelease, withPatch } from './patched.ts'
import { runsGoOn } from './runs.ts'
import { INSTANCES, openStage, type Stage } from './stage.ts'
import { type TrialAsked, trial } from './trial.ts'

/** An account is without an owner for at most so long, ms. */
const TAKEOVER_MS = 8_000
const LEAVING_MS = 2_000
const FROZEN_MS = 15_000
const CUT_MS = 30_000
/** Events per second: four of each account. */
const RATE = 256

const ADDRESSES = 200
const HANGING = 60
/** Addresses of one record are asked for in turn, so that it has to wait for itself now and then. */
const RECORDS = 3
/** At once, as the engine promises. */
const MOST_OF_ADDRESS = 4
const QUIET_SECONDS = 30
/** ms that others may add to the p99 of a healthy address. */
const ADDED_MS = 100

const STEADY_RATE = 150
const ACKNOWLEDGED_MS = 100
const ARRIVED_MS = 250
const WITHOUT_BELL_MS = 800
const THROUGH_PER_SECOND = 800
const THROUGH_SECONDS = 20
/** Events sent that have not arrived. */
const WINDOW = 512
/** Far longer than a control needs to lose something. */
const FLUSH_MS = 2_000

interface Asked extends Omit<TrialAsked, 'times'> {
  times: number | null
  minutes: number
}
type Scenario = (stage: Stage, asked: Asked, report: ProofReport) => Promise<void>

/** In this order: tokens of accounts last for an hour, and later scenarios need none. */
const SCENARIOS: Record<string, Scenario> = {
  async automation(stage, asked, { section, line, must }) {
    section('rules that text customers: their owner is killed while runs are under way')
    judgeRuns(await runsGoOn(stage, { ...asked, times: asked.times ?? 10 }), { line, must })
  },
  async account(stage, asked, { section, line, must }) {
    section('one account asked for from all three at once, each time with a token that has just expired')
    const found = await tokensRenewed(stage, asked.times ?? 5)
    line('accounts / rounds', `${found.accounts} / ${found.rounds}`)
    const each = found.renewals === found.rounds
    line('renewals of the token that can be used once', found.renewals, { bar: `${found.rounds}`, met: each })
    must(each, `account: ${found.renewals} renewals in ${found.rounds} rounds`)
    for (const [label, count] of [
      ['requests refused', found.refused],
      ['accounts that must sign in again', found.disconnected],
    ] as const) {
      line(label, count, none(count))
      must(count === 0, `account: ${count} ${label}`)
    }
  },
  async quiet(stage, asked, { section, line, must }) {
    section(`nothing happens: ${ADDRESSES} addresses, of which none hangs`)
    const rest = async () => pause(QUIET_SECONDS * 1_000)
    const asIs = { addresses: ADDRESSES, records: RECORDS }
    const nobody = await trial(stage, { ...asked, times: 1 }, rest, asIs)
    judge('quiet', nobody, null, { line, must })
    judgeParallel('quiet', nobody.parallel, { line, must })
    section(`nothing happens: ${HANGING} of ${ADDRESSES} addresses hang`)
    const hanging = Array.from({ length: ADDRESSES }, (_, index) => index).filter((index) => index % 10 < 3)
    const some = await trial(stage, { ...asked, times: 1 }, rest, { ...asIs, hanging })
    judge('hanging', some, null, { line, must })
    judgeParallel('hanging', some.parallel, { line, must })
    const added = percentile(some.arrivedMs, 0.99) - percentile(nobody.arrivedMs, 0.99)
    line('added to the p99 of healthy addresses', `${added.toFixed(0)} ms`, {
      bar: `at most ${ADDED_MS} ms`,
      met: added <= ADDED_MS,
    })
    must(added <= ADDED_MS, `hanging: healthy addresses wait ${added.toFixed(0)} ms longer (p99)`)
  },
  async kill(stage, asked, { section, line, must }) {
    section('kill -9 of one of three, at random')
    const found = await trial(stage, { ...asked, times: asked.times ?? 100 }, kill, { sql: WATCH_SQL })
    judge('kill', found, TAKEOVER_MS, { line, must })
    judgeFence('kill', found, { line, must })
  },
  async pause(stage, asked, { section, line, must }) {
    const times = asked.times ?? 20
    section(`one of three stands still for ${FROZEN_MS / 1_000} s, at random`)
    const found = await trial(stage, { ...asked, times }, freeze(FROZEN_MS), { sql: WATCH_SQL })
    judge('pause', found, TAKEOVER_MS, { line, must })
    judgeFence('pause', found, { line, must })
    for (const [table, what] of [
      ['event', 'taking in'],
      ['attempt', 'settling'],
    ] as const) {
      section(`the same inside a transaction: ${what}`)
      const some = { ...asked, times: Math.ceil(times / 4) }
      const inside = await trial(stage, some, freezeInside(FROZEN_MS), { sql: WATCH_SQL + gatesSql(table) })
      judge(`pause while ${what}`, inside, TAKEOVER_MS, { line, must })
      judgeFence(`pause while ${what}`, inside, { line, must })
    }
  },
  async cut(stage, asked, { section, line, must }) {
    section(`the wire of one of three is cut for ${CUT_MS / 1_000} s without being closed`)
    const seen: CutSeen[] = []
    const found = await trial(stage, { ...asked, times: asked.times ?? 20 }, cut(CUT_MS, seen), { sql: WATCH_SQL })
    judge('cut', found, TAKEOVER_MS, { line, must })
    judgeFence('cut', found, { line, must })
    judgeCuts(seen, { line, must })
  },
  async database(stage, asked, { section, line, must }) {
    for (const how of ['fast', 'kill'] as const) {
      section(how === 'fast' ? 'PostgreSQL is stopped' : 'PostgreSQL is killed')
      const seen: DatabaseSeen[] = []
      const found = await trial(stage, { ...asked, times: asked.times ?? 20 }, databaseEnds(how, seen))
      judge(`database, ${how}`, found, null, { line, must }, INSTANCES)
      judgeDatabase(how, seen, { line, must })
    }
  },
  async rolling(stage, asked, { section, line, must }) {
    section('all three are replaced one after the other, behind a proxy')
    const mixed: number[] = []
    const found = await withNextRelease((next) =>
      trial(stage, { ...asked, times: asked.times ?? 10 }, rolling([OWN_RELEASE, next], mixed), { through: 'proxy' }),
    )
    judge('rolling', found, LEAVING_MS, { line, must })
    const fewest = Math.min(...mixed)
    line('releases at work at once, in each round', fewest, { bar: '2', met: fewest === 2 })
    must(fewest === 2, 'rolling: two releases never worked at once')
    const refused = [...found.statuses].reduce((sum, [status, count]) => sum + (status === 200 ? 0 : count), 0)
    line('calls refused or cut off', refused, none(refused))
    must(refused === 0, `rolling: ${refused} calls were refused`)
  },
  async speed(stage, asked, report) {
    report.section(`all the way, over three: ${WINDOW} events under way`)
    await allTheWay(stage, report)
    report.section(`${STEADY_RATE} events/s for ${asked.minutes} min, over three`)
    await steady(stage, asked, ARRIVED_MS, report)
    report.section('the same for one minute, and no bell rings')
    await withPatch(NO_BELL, (checkout) => steady(stage, { ...asked, minutes: 1 }, WITHOUT_BELL_MS, report, checkout))
  },
  async controls(stage, asked, { section, line, must }) {
    section('control: the fence is off')
    const times = asked.times ?? 3
    const unfenced = await withPatch(FENCE_OFF, (checkout) =>
      trial(stage, { ...asked, times }, freeze(FROZEN_MS), { checkout, sql: WATCH_SQL }),
    )
    const strays = unfenced.fence?.strays ?? 0
    line('settled by an instance after its removal', strays, { bar: 'more than 0', met: strays > 0 })
    must(strays > 0, 'without the fence nothing is written after a removal, so the proof would not see it')
    section('control: commits that the disk has not seen, and PostgreSQL is killed')
    const careless = await trial(stage, { ...asked, times: times + 1 }, killedCarelessly())
    line('acknowledged and lost', careless.lost, { bar: 'more than 0', met: careless.lost > 0 })
    must(careless.lost > 0, 'with synchronous_commit = off nothing is lost, so the proof would not see it')
  },
}

function judgeParallel(
  where: string,
  { mostOfAddress, mostOfRecord }: Awaited<ReturnType<typeof trial>>['parallel'],
  { line, must }: Saying,
): void {
  line('calls at once to one address, most', mostOfAddress, {
    bar: `at most ${MOST_OF_ADDRESS}`,
    met: mostOfAddress <= MOST_OF_ADDRESS,
  })
  line('calls at once about one record, most', mostOfRecord, { bar: 'at most 1', met: mostOfRecord <= 1 })
  must(mostOfAddress <= MOST_OF_ADDRESS, `${where}: ${mostOfAddress} calls at once to one address`)
  must(mostOfRecord <= 1, `${where}: ${mostOfRecord} calls at once about one record`)
}

async function allTheWay(stage: Stage, { line, must }: Saying): Promise<void> {
  let perSecond = 0
  const found = await trial(stage, { times: 1, rate: 1, seed: 1 }, async ({ load }) => {
    load.end()
    const before = load.sent.length
    await load.through(WINDOW, THROUGH_SECONDS * 1_000)
    perSecond = load.sent.slice(before).filter(({ arrivedAt }) => arrivedAt !== null).length / THROUGH_SECONDS
  })
  judge('all the way', found, null, { line, must })
  line('all the way, per second', perSecond.toFixed(0), {
    bar: `${THROUGH_PER_SECOND} or more`,
    met: perSecond >= THROUGH_PER_SECOND,
  })
  must(perSecond >= THROUGH_PER_SECOND, `all the way: ${perSecond.toFixed(0)} events/s`)
}

async function steady(
  stage: Stage,
  { minutes, seed }: Asked,
  arrivedMs: number,
  { line, must }: Saying,
  checkout?: Checkout,
): Promise<void> {
  const asked = { times: 1, rate: STEADY_RATE, seed }
  const given = checkout ? { checkout } : {}
  const found = await trial(stage, asked, async () => pause(minutes * 60_000), given)
  const where = checkout ? 'without the bell' : 'steady'
  judge(where, found, null, { line, must })
  for (const [label, values, most] of [
    ['acknowledged after, p99', found.acknowledgedMs, ACKNOWLEDGED_MS],
    ['arrived after, p99', found.arrivedMs, arrivedMs],
  ] as const) {
    const p99 = percentile(values, 0.99)
    line(label, `${p99.toFixed(0)} ms`, { bar: `at most ${most} ms`, met: p99 <= most })
    must(p99 <= most, `${where}: ${label} ${p99.toFixed(0)} ms`)
  }
}

/** The first time, PostgreSQL is told to commit without the disk; from then on it is killed. */
function killedCarelessly(): Parameters<typeof trial>[2] {
  const killed = databaseEnds('kill', [])
  return async (round) => {
    if (round.number > 0) return killed(round)
    const { ask } = round.cluster
    await ask(`ALTER SYSTEM SET wal_writer_delay = ${FLUSH_MS}`)
    const [{ name } = { name: '' }] = await ask<{ name: string }>('SELECT current_database() AS name')
    await ask(`ALTER DATABASE "${name}" SET synchronous_commit = off`)
    await ask('SELECT pg_reload_conf()')
    await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name LIKE 'instance%' OR application_name LIKE 'fieldhook%'`)
  }
}

/** Whose figures are speeds, so that they need a quiet machine: `npm run bench:cluster`. */
const SPEEDS = ['quiet', 'speed']

export interface ClusterReport {
  /** Of its figures file. */
  name: 'cluster' | 'bench-cluster'
  script: 'prove:cluster' | 'bench:cluster'
}

const usageOf = ({ script }: ClusterReport) =>
  `Usage: npm run ${script} -- [--scenario ${Object.keys(SCENARIOS).join(',')}] [--times N] [--minutes N] [--rate N] [--seed N]`

/** Null when an argument is wrong; it has been told. */
function readAsked(report: ClusterReport): (Asked & { scenarios: string[]; part: boolean }) | null {
  try {
    const own = Object.keys(SCENARIOS).filter((name) => SPEEDS.includes(name) === (report.name === 'bench-cluster'))
    const text = { type: 'string' } as const
    const { values } = parseArgs({ options: { scenario: text, times: text, minutes: text, rate: text, seed: text } })
    const whole = (given: string | undefined, otherwise: number) => {
      const value = given === undefined ? otherwise : Number(given)
      if (Number.isInteger(value) && value >= 1) return value
      throw new Error(`${given} is no whole number from 1.`)
    }
    const scenarios = values.scenario?.split(',') ?? own
    const unknown = scenarios.find((name) => !(name in SCENARIOS))
    if (unknown !== undefined) throw new Error(`There is no scenario called "${unknown}".`)
    return {
      scenarios,
      part: own.some((name) => !scenarios.includes(name)),
      times: values.times === undefined ? null : whole(values.times, 1),
      minutes: whole(values.minutes, 10),
      rate: whole(values.rate, RATE),
      seed: whole(values.seed, 1),
    }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usageOf(report)}`)
    process.exitCode = 2
    return null
  }
}

/** Runs what the command line asks for, by default all that belongs to `asReport`. */
export async function proveCluster(asReport: ClusterReport): Promise<void> {
  const read = readAsked(asReport)
  if (!read) return
  const { scenarios, part, ...asked } = read
  const { times, ...rest } = asked
  const told = { scenario: scenarios.join(','), ...(times !== null && { times }), ...rest }
  const report = proofReport('Three instances on one PostgreSQL', told, { ...asReport, part })
  const stage = await openStage(scenarios.includes('quiet') ? ADDRESSES : SHARES)
  try {
    for (const name of scenarios) await SCENARIOS[name]?.(stage, asked, report)
  } finally {
    await stage.close()
  }
  report.end()
}

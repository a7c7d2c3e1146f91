// What happens to a cluster under load: an instance is killed, stands still or is cut off; the database ends; all are
// replaced one after the other.

import { moment } from '../fair/receivers.ts'
import { wholeFrom } from '../report/arguments.ts'
import { type Checkout, pause } from '../stage/server.ts'
import type { Mending } from './roads.ts'
import type { Cluster, Instance } from './stage.ts'
import type { Happening, Round } from './trial.ts'

const REMOVED_WITHIN = 30_000

/** kill -9, at any moment of a second. */
export const kill: Happening = async (round) => {
  await pause(wholeFrom(round.random, 0, 1_000))
  await killNow(round)
}

/** kill -9. It is started again once the others have removed it. */
export async function killNow({ cluster, victim }: Pick<Round, 'cluster' | 'victim'>): Promise<void> {
  const member = await memberOf(cluster, victim)
  await victim.kill()
  await untilRemoved(cluster, member)
  await victim.launch()
  await victim.server.ready()
}

/** A pause of the whole process, longer than a lease. It finds itself removed, and ends. */
export function freeze(forMs: number): Happening {
  return async ({ cluster, victim, random }) => {
    await pause(wholeFrom(random, 0, 1_000))
    const member = await memberOf(cluster, victim)
    const before = victim.endings.length
    victim.freeze()
    await pause(forMs)
    victim.thaw()
    await untilRemoved(cluster, member)
    await untilBack(victim, before)
  }
}

/** ms on the gate's lock before the instance is stopped. */
const AT_THE_GATE = 5_000

/** The same, while one of its transactions stands where `GATES` put a gate: between its first write and its commit. */
export function freezeInside(forMs: number): Happening {
  return async ({ cluster, victim }) => {
    const member = await memberOf(cluster, victim)
    const before = victim.endings.length
    const gate = await closeGate(cluster)
    try {
      await gate.untilSomebodyWaits(victim, AT_THE_GATE)
      victim.freeze()
    } finally {
      await gate.open()
    }
    await pause(forMs)
    victim.thaw()
    await untilRemoved(cluster, member)
    await untilBack(victim, before)
  }
}

export interface CutSeen {
  /** ms from the cut to the first 503, and to the first `/readyz` that was not 200; null = none during the cut. */
  refusedAfter: number | null
  notReadyAfter: number | null
  /** Calls to the cut one that were not answered within 8.5 s: when each was sent, ms after the cut. */
  unanswered: number[]
  /** Answers 200 of the cut one while it was cut, after a second. */
  acknowledgedWhileCut: number
  /** Answers 200 of each of the others meanwhile. */
  othersAcknowledged: number
  /** ms from mending to ready again. */
  backAfter: number
}

/** Nothing goes through between one instance and the database, and nobody is told. */
export function cut(forMs: number, seen: CutSeen[]): Happening {
  return async ({ cluster, stage, victim, random, number, answers }) => {
    await pause(wholeFrom(random, 0, 1_000))
    const member = await memberOf(cluster, victim)
    const before = victim.endings.length
    const from = answers.length
    const began = moment()
    await stage.roads.ask('cut', victim.index)
    let notReadyAfter: number | null = null
    while (moment() < began + forMs) {
      const asked = await fetch(`${victim.origin}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
      if (asked?.status !== 200) notReadyAfter ??= moment() - began
      await pause(100)
    }
    const mended = moment()
    await stage.roads.ask('mend', victim.index, (number % 2 === 0 ? 'held' : 'forgotten') satisfies Mending)
    await untilRemoved(cluster, member)
    await untilBack(victim, before)
    await victim.server.ready()
    const backAfter = moment() - mended
    const own = answers.slice(from).filter(({ instance, at }) => instance === victim.index && at < mended)
    const refused = own.filter(({ status, at }) => status === 503 && at >= began).map(({ at, ms }) => at + ms - began)
    seen.push({
      refusedAfter: refused.length > 0 ? Math.min(...refused) : null,
      notReadyAfter,
      unanswered: own.filter(({ ms }) => ms > 8_500).map(({ at }) => Math.round(at - began)),
      acknowledgedWhileCut: own.filter(
        ({ status, at, ms }) => status === 200 && at > began && at + ms > began + 1_000 && at + ms < mended,
      ).length,
      othersAcknowledged: answers
        .slice(from)
        .filter(({ instance, at, status }) => instance !== victim.index && at < mended && status === 200).length,
      backAfter,
    })
  }
}

export interface DatabaseSeen {
  how: string
  /** ms from "the database takes connections again" to the first arrival, and until every account got something. */
  sendingAfter: number
  /** Processes that ended meanwhile. */
  ended: number
  acknowledgedWhileDown: number
}

/** The database ends, and is started again after a while. */
export function databaseEnds(how: 'fast' | 'kill', seen: DatabaseSeen[]): Happening {
  return async ({ cluster, stage, load, random, answers }) => {
    await pause(wholeFrom(random, 0, 1_000))
    const endingsBefore = endingsIn(cluster)
    await (how === 'fast' ? stage.postgres.halt('fast') : stage.postgres.kill())
    const down = moment()
    const from = answers.length
    await pause(wholeFrom(random, 1_000, 6_000))
    const acknowledgedWhileDown = answers.slice(from).filter(({ status, at }) => status === 200 && at > down).length
    const eventsBefore = load.sent.length
    await stage.postgres.start()
    const started = moment()
    const sendingAfter = await untilArrived(load.sent, eventsBefore, started)
    seen.push({ how, sendingAfter, ended: endingsIn(cluster) - endingsBefore, acknowledgedWhileDown })
  }
}

/**
 * Each is asked to end and started as the other release, one after the other, as a deployment does: the next release in the
 * first round, which changes the schema, then back, and so on.
 *
 * @param mixed gets how many releases worked at the same time, most, once a round
 */
export function rolling(releases: readonly [now: Checkout, next: Checkout], mixed: number[] = []): Happening {
  return async ({ cluster, number }) => {
    let most = 0
    for (const instance of cluster.instances) {
      const { code } = await instance.drain()
      if (code !== 0)
        throw new Error(`instance ${instance.index} ended with ${code}:\n${instance.server.output().slice(-2_000)}`)
      await instance.launch(releases[(number + 1) % 2])
      await instance.server.ready()
      const [seen] = await cluster.ask<{ releases: number }>(
        'SELECT count(DISTINCT version)::int AS releases FROM member',
      )
      most = Math.max(most, seen?.releases ?? 0)
    }
    mixed.push(most)
  }
}

function endingsIn({ instances }: Cluster): number {
  return instances.reduce((sum, { endings }) => sum + endings.length, 0)
}

async function untilArrived(sent: Round['load']['sent'], from: number, since: number): Promise<number> {
  const until = moment() + 60_000
  while (moment() < until) {
    const first = sent.slice(from).flatMap(({ arrivedAt }) => (arrivedAt === null ? [] : [arrivedAt]))
    if (first.length > 0) return Math.min(...first) - since
    await pause(50)
  }
  return Number.POSITIVE_INFINITY
}

async function memberOf({ ask }: Cluster, { index }: Instance): Promise<string> {
  const [member] = await ask<{ id: string }>('SELECT id FROM member WHERE process LIKE $1', [`machine ${index}|%`])
  if (!member) throw new Error(`instance ${index} is no member`)
  return member.id
}

async function untilRemoved({ ask }: Cluster, member: string): Promise<void> {
  const until = Date.now() + REMOVED_WITHIN
  while ((await ask('SELECT 1 FROM member WHERE id = $1', [member])).length > 0) {
    if (Date.now() > until) throw new Error('the others did not remove it')
    await pause(100)
  }
}

/** Its process has ended since, and another one is ready. */
async function untilBack({ endings, server, index }: Instance, endingsBefore: number): Promise<void> {
  const until = Date.now() + 60_000
  while (endings.length === endingsBefore) {
    if (Date.now() > until)
      throw new Error(`instance ${index} was removed and does not end:\n${server.output().slice(-2_000)}`)
    await pause(100)
  }
  await pause(500)
  await server.ready()
}

/** A lock that acts inside their transaction wait for. */
const GATE = 4_711

/** To be run on a fresh database: transactions that settle or take in stop at the gate when it is closed. */
export function gatesSql(table: 'attempt' | 'event'): string {
  return `CREATE FUNCTION lab_gate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(${GATE}); RETURN NULL; END $$;
    CREATE TRIGGER lab_gate AFTER INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION lab_gate();`
}

async function closeGate({ ask }: Cluster) {
  const holding = ask(`DO $$ BEGIN PERFORM pg_advisory_xact_lock(${GATE}); PERFORM pg_sleep(60); END $$`).catch(
    () => {},
  )
  return {
    async untilSomebodyWaits({ index }: Instance, withinMs: number): Promise<void> {
      const until = Date.now() + withinMs
      const sql = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory'
        AND application_name = $1`
      while ((await ask(sql, [`instance ${index}`])).length === 0) {
        if (Date.now() > until) throw new Error('nobody came to the gate')
        await pause(5)
      }
    },
    async open(): Promise<void> {
      await ask(
        `SELECT pg_cancel_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = 'ExclusiveLock'`,
      )
      await holding
    },
  }
}

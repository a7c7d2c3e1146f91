// Stores the results of attempts, and keeps trying: until that works, slots stay taken and nothing more is sent.
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { pause } from '../lib/turns.server.ts'

interface SettleSteadilyInput<Report, Settled> {
  clock: Clock
  log: Log
  /** Settles all in one transaction, and answers in the same order. `again`: a try before may have stored some. */
  settle(reports: Report[], again: boolean): Promise<Settled[]>
  /** Rejects when the database cannot be written at all. */
  trialWrite(): Promise<void>
  /** True = the process is shutting down: unwritten results are dropped, and their deliveries stay pending. */
  stopped(): boolean
}

const FIRST_PAUSE = 250
/** A database that comes back is noticed within this time: meanwhile nothing is sent. ms */
const LONGEST_PAUSE = 2_000
/** After this many failures while others, or a trial write, succeed, the report itself counts as faulty. */
const PATIENCE = 3

/** Answers in the same order; null = only this report could not be stored, or the process is shutting down. */
export async function settleSteadily<Report, Settled>(
  input: SettleSteadilyInput<Report, Settled>,
  reports: Report[],
): Promise<(Settled | null)[]> {
  const answers = new Map<Report, Settled>()
  let left = reports
  let refused = 0
  for (let round = 0; ; round++) {
    const before = left.length
    left = await oneRound(input, left, answers, round > 0)
    if (left.length === 0 || input.stopped()) break
    if (left.length < before || (await canWrite(input))) refused++
    if (refused >= PATIENCE) {
      input.log.error({ reports: left.length }, 'settle.given_up')
      break
    }
    await pause(input.clock, Math.min(FIRST_PAUSE * 2 ** Math.min(round, 20), LONGEST_PAUSE))
  }
  return reports.map((report) => answers.get(report) ?? null)
}

/** Settles all together, and if that fails one by one. Returns those not stored. */
async function oneRound<Report, Settled>(
  input: SettleSteadilyInput<Report, Settled>,
  reports: Report[],
  answers: Map<Report, Settled>,
  again: boolean,
): Promise<Report[]> {
  try {
    const settled = await input.settle(reports, again)
    for (const [index, report] of reports.entries()) {
      const answer = settled[index]
      if (answer !== undefined) answers.set(report, answer)
    }
    return []
  } catch (error) {
    input.log.error({ error, reports: reports.length }, 'settle.failed')
  }
  if (reports.length === 1 || !(await canWrite(input))) return reports
  const failed: Report[] = []
  for (const report of reports) {
    try {
      const [answer] = await input.settle([report], true)
      if (answer !== undefined) answers.set(report, answer)
    } catch {
      failed.push(report)
    }
  }
  return failed
}

async function canWrite({ trialWrite }: Pick<SettleSteadilyInput<unknown, unknown>, 'trialWrite'>): Promise<boolean> {
  try {
    await trialWrite()
    return true
  } catch {
    return false
  }
}

// What a trial must show, as lines of the report and as faults.
import { percentile } from '../report/arguments.ts'
import { none, type ProofReport } from '../report/report.ts'
import type { CutSeen, DatabaseSeen } from './happenings.ts'
import type { RunsFound } from './runs.ts'
import type { Found } from './trial.ts'

/** Attempts in flight at once (engine: slots): one kill can repeat this many. */
const SLOTS = 64
const SENDING_AGAIN_MS = 5_000
const REFUSED_MS = 8_000
const MOST_MB = 250

export type Saying = Pick<ProofReport, 'line' | 'must'>

/** What holds whatever happens. `silenceMs`: the longest that one account may be without an owner. `hit`: how many instances it happens to at once. */
export function judge(where: string, found: Found, silenceMs: number | null, { line, must }: Saying, hit = 1): void {
  const zeros: [string, number][] = [
    ['acknowledged and not stored', found.lost],
    ['acknowledged and never delivered', found.neverArrived],
    ['not acknowledged even afterwards', found.neverAnswered],
    ['delivered twice under another webhook-id', found.differentIds],
    ['still waiting at the end', found.waiting],
  ]
  line('times', found.rounds)
  line('events sent / answered 200', `${found.sent} / ${found.acknowledged}`)
  line('answers', [...found.statuses].map(([status, count]) => `${count} × ${status || 'none'}`).join(', '))
  for (const [label, count] of zeros) {
    line(label, count, none(count))
    must(count === 0, `${where}: ${count} ${label}`)
  }
  must(found.acknowledged > 0, `${where}: nothing was acknowledged, so nothing is shown`)
  // What was on its way from each instance that it happened to.
  const most = SLOTS * hit
  const fewRepeats = found.mostRepeatsOfOneRound <= most
  line('delivered twice, in all / most of one time', `${found.repeats} / ${found.mostRepeatsOfOneRound}`, {
    bar: `at most ${most} of one time`,
    met: fewRepeats,
  })
  must(fewRepeats, `${where}: ${found.mostRepeatsOfOneRound} repeated in one time`)
  const longest = Math.max(...found.silences)
  const told = `${seconds(percentile(found.silences, 0.5))} / ${seconds(longest)}`
  if (silenceMs === null) line('longest silence of an account, p50 / max', told)
  else {
    const met = longest <= silenceMs
    line('longest silence of an account, p50 / max', told, { bar: `at most ${seconds(silenceMs)}`, met })
    must(met, `${where}: an account was silent for ${seconds(longest)}`)
  }
  line('acknowledged after, p50 / p99', spread(found.acknowledgedMs))
  line('arrived after, p50 / p99', spread(found.arrivedMs))
  line('ended by themselves, and started anew', found.endings.length > 0 ? found.endings.join(' ') : 'none')
  for (const [words, count] of found.complaints) line(`… ${words}`, count)
  line('memory of an instance, most', `${found.mostMb.toFixed(0)} MB`, {
    bar: `at most ${MOST_MB} MB`,
    met: found.mostMb <= MOST_MB,
  })
  must(found.mostMb <= MOST_MB, `${where}: an instance takes ${found.mostMb.toFixed(0)} MB`)
}

export function judgeFence(where: string, { fence }: Found, { line, must }: Saying): void {
  if (!fence) throw new Error('the trial did not watch the fence')
  line('members removed / attempts settled', `${fence.removed} / ${fence.writes}`)
  line('settled by an instance after its removal', fence.strays, none(fence.strays))
  must(fence.removed > 0, `${where}: nobody was removed, so nothing is shown`)
  must(fence.strays === 0, `${where}: ${fence.strays} attempts were settled by an instance after its removal`)
}

export function judgeRuns(found: RunsFound, { line, must }: Saying): void {
  line('kills / of which with runs under way', `${found.kills} / ${found.takenOver}`)
  line('jobs completed / texts that customers got', `${found.jobs} / ${found.texts}`)
  line('texts that may have been sent, left to a person', found.unknown)
  const zeros: [string, number][] = [
    ['texts that a customer got twice', found.twice],
    ['texts that never came', found.missing],
    ['runs that did not end', found.open],
  ]
  for (const [label, count] of zeros) {
    line(label, count, none(count))
    must(count === 0, `automation: ${count} ${label}`)
  }
  must(found.takenOver > 0, 'automation: no run was under way at a kill, so nothing is shown')
}

export function judgeCuts(seen: readonly CutSeen[], { line, must }: Saying): void {
  const worst = (values: (number | null)[]) => Math.max(...values.map((value) => value ?? Number.POSITIVE_INFINITY))
  const refusedAfter = worst(seen.map((one) => one.refusedAfter))
  const notReadyAfter = worst(seen.map((one) => one.notReadyAfter))
  const sum = (of: (one: CutSeen) => number) => seen.reduce((all, one) => all + of(one), 0)
  const bar = `at most ${seconds(REFUSED_MS)}`
  line('the cut one answers 503 after, at most', seconds(refusedAfter), { bar, met: refusedAfter <= REFUSED_MS })
  line('and is not ready after, at most', seconds(notReadyAfter), { bar, met: notReadyAfter <= REFUSED_MS })
  const late = seen.flatMap((one) => one.unanswered)
  line('calls to it without an answer within 8.5 s', late.length, none(late.length))
  if (late.length > 0) line('  sent after the cut', `${seconds(Math.min(...late))} to ${seconds(Math.max(...late))}`)
  const falsely = sum((one) => one.acknowledgedWhileCut)
  line('answers 200 of it meanwhile', falsely, none(falsely))
  line(
    'answers 200 of the others meanwhile',
    sum((one) => one.othersAcknowledged),
  )
  line('ready again after mending, at most', seconds(worst(seen.map((one) => one.backAfter))))
  must(refusedAfter <= REFUSED_MS, `cut: 503 only after ${seconds(refusedAfter)}`)
  must(notReadyAfter <= REFUSED_MS, `cut: not ready only after ${seconds(notReadyAfter)}`)
  must(late.length === 0, `cut: ${late.length} calls were not answered within 8.5 s`)
  must(falsely === 0, `cut: ${falsely} false answers`)
}

export function judgeDatabase(how: string, seen: readonly DatabaseSeen[], { line, must }: Saying): void {
  const slowest = Math.max(...seen.map((one) => one.sendingAfter))
  const met = slowest <= SENDING_AGAIN_MS
  line('sending again after, at most', seconds(slowest), { bar: `at most ${seconds(SENDING_AGAIN_MS)}`, met })
  must(met, `database, ${how}: sending again only after ${seconds(slowest)}`)
  const falsely = seen.reduce((sum, one) => sum + one.acknowledgedWhileDown, 0)
  line('answers 200 while it was down', falsely, none(falsely))
  must(falsely === 0, `database, ${how}: ${falsely} false answers`)
  const ended = seen.reduce((sum, one) => sum + one.ended, 0)
  line('instances that ended', ended, none(ended))
  must(ended === 0, `database, ${how}: ${ended} instances ended`)
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

export function spread(values: readonly number[]): string {
  return `${percentile(values, 0.5).toFixed(0)} / ${percentile(values, 0.99).toFixed(0)} ms`
}

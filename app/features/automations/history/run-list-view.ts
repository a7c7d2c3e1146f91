// A run as one line of the history: the customer's job first, then what happened, in words.
import type { RecordName } from '#app/domain/record-name.ts'
import { dayOf } from '#app/domain/time/local-time.ts'
import { dayText, plural } from '#app/domain/time/moments.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { capital } from '#app/lib/plain-text.ts'
import { wallAt } from '#app/lib/zone.ts'
import { objectNoun } from '../records/fields.ts'
import type { Execution } from '../runs/run-history.ts'
import { type LogLine, startsLater, timesOf } from './log-line.ts'
import { type ReceiptView, receiptOfRun } from './receipt-view.ts'
import type { RunStanding } from './run-marks.ts'

export interface RunLine extends Pick<LogLine, 'id' | 'because' | 'at' | 'startedAt'> {
  ruleId: number
  ruleName: string
  /** `Job 4411`; several records are counted. */
  job: string
  /** Customer name, or the address; '' = unknown. */
  customer: string
  standing: RunStanding
  needsYou: boolean
  happened: string
  /** When it continues on its own, epoch ms; null = never. */
  goesOnAt: number | null
  /** What became of its messages; null = it has sent none. */
  receipt: ReceiptView | null
}

export function runLine(execution: Execution, known: RecordName | null = null): RunLine {
  const { triggerData, id, automationRuleId, automationName, nextAttemptAt, needsYou } = execution
  const { job, customer } = aboutOf(execution, known)
  return {
    id,
    ruleId: automationRuleId,
    ruleName: automationName,
    job,
    customer,
    standing: standingOfRun(execution),
    needsYou,
    happened: happenedText(execution),
    because: triggerData.description,
    ...timesOf(execution),
    goesOnAt: nextAttemptAt === null ? null : Date.parse(nextAttemptAt),
    receipt: receiptOfRun(execution.steps.flatMap((step) => step.items)),
  }
}

function standingOfRun(
  execution: Pick<Execution, 'steps' | 'state' | 'outcome' | 'nextAttemptAt' | 'executedAt'>,
): RunStanding {
  const items = execution.steps.flatMap((step) => step.items)
  if (items.some((item) => item.state === 'unknown')) return 'unknown'
  if (execution.state === 'held' || items.some((item) => item.state === 'held')) return 'held'
  switch (execution.state) {
    case 'queued':
    case 'running':
      return startsLater(execution) ? 'waiting' : 'working'
    case 'waiting':
      return 'waiting'
    case 'done':
      return execution.outcome ?? 'nothing'
    default:
      return assertNever(execution.state)
  }
}

export interface DayOfRuns {
  /** `Today`, `Yesterday`, `21 November 2026`. */
  day: string
  /** `4 runs · 1 failed`; the day may have more on other pages: `4 runs on this page · 1 failed`. */
  counts: string
  lines: RunLine[]
}

/** The runs of a page by the days of the account: one that waited stands where it was set off, as pages are cut. */
export function runsByDay(lines: readonly RunLine[], now: Millis, zone: string, isCut = false): DayOfRuns[] {
  const today = dayOf(wallAt(now, zone))
  const found = new Map<number, RunLine[]>()
  for (const line of lines) {
    const day = dayOf(wallAt(line.at, zone))
    found.set(day, [...(found.get(day) ?? []), line])
  }
  return [...found].map(([day, ofDay]) => ({
    day: day === today ? 'Today' : day === today - 1 ? 'Yesterday' : dayText(ofDay[0]?.at ?? 0, zone),
    counts: countsOf(ofDay, isCut ? ' on this page' : ''),
    lines: ofDay,
  }))
}

function countsOf(lines: readonly RunLine[], where: string): string {
  const failed = lines.filter(({ standing }) => standing === 'failure' || standing === 'partial').length
  const needsYou = lines.filter((line) => line.needsYou).length
  return [
    plural(lines.length, 'run') + where,
    failed === 0 ? '' : `${failed} failed`,
    needsYou === 0 ? '' : needsYou === 1 ? '1 needs you' : `${needsYou} need you`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** What was done and what was not, in step order; or why the run did nothing. */
function happenedText(execution: Pick<Execution, 'actionsExecuted' | 'state' | 'reason'>): string {
  const { actionsExecuted, state, reason } = execution
  const done = actionsExecuted.map(({ result, error }) => error ?? result.message).filter((text) => text !== '')
  const said = [...new Set(done)].map(asSentence)
  if (state === 'done') return said.join(' ') || asSentence(reason ?? 'Nothing was done')
  const now = reason ?? (state === 'running' ? 'It is running.' : 'It waits for its turn.')
  return [...said.filter((sentence) => sentence !== asSentence(now)), asSentence(now)].join(' ')
}

function asSentence(text: string): string {
  const trimmed = text.trim()
  return /[.!?…]["”]?$/.test(trimmed) ? trimmed : `${trimmed}.`
}

function aboutOf(execution: Execution, known: RecordName | null): { job: string; customer: string } {
  const { triggerData, recordUuids, object } = execution
  const matched = triggerData.conditionMatching?.matchedRecords ?? []
  const count = recordUuids.length
  const [first] = matched
  if (count === 0) return { job: 'No record', customer: '' }
  const number = known?.job || first?.jobId || ''
  const customer = first?.companyName || known?.customer || first?.jobAddress || known?.who || ''
  if (count > 1) {
    const customers = new Set(matched.map((record) => record.companyName).filter((name) => name !== ''))
    return { job: plural(count, objectNoun(object, 'record')), customer: customers.size === 1 ? customer : '' }
  }
  // A record without a number has its uuid here, which people cannot read.
  const isNumber = number !== '' && number !== recordUuids[0]
  if (object === 'job') return { job: isNumber ? `Job ${number}` : 'A job', customer }
  const kind = capital(objectNoun(object, 'record'))
  return { job: isNumber ? `${kind} on job ${number}` : kind, customer }
}

interface NextCheck {
  ruleId: number
  name: string
  /** `Every day at 10:00`. */
  schedule: string
  at: Millis
  /** Set when the rule is on, but paused. */
  pausedReason: string | null
}

export interface UpcomingData {
  runs: RunLine[]
  /** Cursor of the later runs; null = there are none. */
  next: number | null
  /** True on every page but the first. */
  isLater: boolean
  looks: NextCheck[]
}

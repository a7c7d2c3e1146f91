// The runs of the last 30 days, by rule and day, for the bars of the list.
import { dateOf, dayOf, MONTHS } from '#app/domain/time/local-time.ts'
import { grouped, plural } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { wallAt } from '#app/lib/zone.ts'

export const RUN_DAYS = 30
/** Runs read for the bars of one account. */
export const MOST_RUNS_READ = 5_000

/** Ended runs by the day that set them off, as the history lists them; oldest first, the last one is today. */
export interface RunDays {
  ran: number[]
  failed: number[]
  /** The same in one sentence. */
  says: string
}

interface SeenRun {
  automationId: number
  createdAt: Millis
  outcome: string | null
}

/** `runs` newest first, at most `MOST_RUNS_READ`. Of a busy account, days that were not read whole stay empty. */
export function runDaysOf(runs: readonly SeenRun[], now: Millis, zone: string): Map<number, RunDays> {
  const today = dayOf(wallAt(now, zone))
  const oldest = runs.length < MOST_RUNS_READ ? null : (runs.at(-1)?.createdAt ?? null)
  const first = Math.max(today - RUN_DAYS + 1, oldest === null ? 0 : dayOf(wallAt(oldest, zone)) + 1)
  const found = new Map<number, RunDays>()
  for (const { automationId, createdAt, outcome } of runs) {
    const day = dayOf(wallAt(createdAt, zone))
    const isFailed = outcome === 'failure' || outcome === 'partial'
    if (day < first || day > today || (outcome !== 'success' && !isFailed)) continue
    const own = found.get(automationId) ?? emptyDays()
    found.set(automationId, own)
    const place = RUN_DAYS - 1 - (today - day)
    const counts = isFailed ? own.failed : own.ran
    counts[place] = (counts[place] ?? 0) + 1
  }
  const { date, month } = dateOf(first)
  const since = first === today - RUN_DAYS + 1 ? 'Last 30 days' : `Since ${date} ${MONTHS[month - 1]}`
  for (const own of found.values()) own.says = saysOf(own, since)
  return found
}

function emptyDays(): RunDays {
  const none = () => Array.from({ length: RUN_DAYS }, () => 0)
  return { ran: none(), failed: none(), says: '' }
}

function saysOf({ ran, failed }: RunDays, since: string): string {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  return `${since}: ${plural(sum(ran) + sum(failed), 'run')}, ${grouped(sum(failed))} failed`
}

/** `This month: 42 texts, 3 e-mails to customers.`; '' = none yet. */
export function monthText({ sms, email }: { sms: number; email: number }): string {
  const said = messagesText({ sms, email })
  return said === '' ? '' : `This month: ${said} to customers.`
}

/** `3 texts, 1 e-mail`; '' = none. */
export function messagesText({ sms, email }: { sms: number; email: number }): string {
  return [sms > 0 ? plural(sms, 'text') : '', email > 0 ? plural(email, 'e-mail') : ''].filter(Boolean).join(', ')
}

// Predicts the file size: daily growth, minus what retention removes, against the limit.
import { sizeText } from '#app/domain/size-text.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours } from '#app/lib/duration.ts'

export interface Growth {
  now: Millis
  usedBytes: number
  budgetBytes: number
  /** Bytes added since `since`. */
  cameBytes: number
  since: Millis
  /** Null = no event was ever stored. */
  oldestEventAt: Millis | null
  /** Retention of events, ms. */
  keepMs: number
}

export interface Outlook {
  /** Approximate; null = not known yet. */
  perDayBytes: number | null
  /** Days until the limit at this pace; null = never, or not known. */
  daysLeft: number | null
  sentence: string
}

/** A shorter time is too little for a daily rate. */
const LEAST_SEEN = hours(1)
/** Too far ahead to plan for. */
const FAR = 3 * 365

/**
 * Uses recent growth as the pace. While the oldest event is younger than the retention, nothing is removed and the file
 * grows; after that, removals match arrivals. Texts are removed sooner, so reality is slightly better.
 */
export function outlookOf(growth: Growth): Outlook {
  const { now, usedBytes, budgetBytes, cameBytes, since, oldestEventAt, keepMs } = growth
  if (oldestEventAt === null) return unknown('No event yet.')
  const seen = now - Math.max(since, oldestEventAt)
  if (seen < LEAST_SEEN) return unknown('Too early to tell how fast it grows.')
  const perDayBytes = Math.round((cameBytes / seen) * days(1))
  const came = `About ${sizeText(perDayBytes)} a day.`
  const growsFor = Math.max(0, keepMs - (now - oldestEventAt))
  if (growsFor === 0) {
    return { perDayBytes, daysLeft: null, sentence: `${came} Old data goes at the same pace: the size stays.` }
  }
  const levelsAt = usedBytes + (perDayBytes * growsFor) / days(1)
  if (levelsAt <= budgetBytes) {
    const when = Math.max(1, Math.round(growsFor / days(1)))
    return {
      perDayBytes,
      daysLeft: null,
      sentence: `${came} It levels off at about ${sizeText(levelsAt)} in ${when} ${when === 1 ? 'day' : 'days'}.`,
    }
  }
  const daysLeft = Math.min(FAR, Math.max(0, Math.floor((budgetBytes - usedBytes) / perDayBytes)))
  return {
    perDayBytes,
    daysLeft,
    sentence: `${came} Full in about ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}.`,
  }
}

function unknown(sentence: string): Outlook {
  return { perDayBytes: null, daysLeft: null, sentence }
}

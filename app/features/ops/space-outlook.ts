// Where the file is heading: what comes in a day, against what is removed by age and what there is.
import { sizeText } from '#app/domain/size-text.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours } from '#app/lib/duration.ts'

export interface Growth {
  now: Millis
  usedBytes: number
  budgetBytes: number
  /** Came in since `since`. */
  cameBytes: number
  since: Millis
  /** Null = no event was ever taken in. */
  oldestEventAt: Millis | null
  /** How long events are kept, ms. */
  keepMs: number
}

export interface Outlook {
  /** About; null = not known yet. */
  perDayBytes: number | null
  /** Days until the limit at this pace; null = it is not reached, or not known. */
  daysLeft: number | null
  sentence: string
}

/** Less is too little to tell a day by. */
const LEAST_SEEN = hours(1)
/** Beyond it nobody plans. */
const FAR = 3 * 365

/**
 * What came in is taken as the pace. While the oldest event is younger than events are kept, nothing leaves and the file grows; from
 * then on as much leaves as comes. Texts leave sooner than the rest: the truth is a little better than this.
 */
export function outlookOf(growth: Growth): Outlook {
  const { now, usedBytes, budgetBytes, cameBytes, since, oldestEventAt, keepMs } = growth
  if (oldestEventAt === null) return unknown('No event has come in yet.')
  const seen = now - Math.max(since, oldestEventAt)
  if (seen < LEAST_SEEN) return unknown('It is too early to tell how fast it grows: the first events came in just now.')
  const perDayBytes = Math.round((cameBytes / seen) * days(1))
  const came = `About ${sizeText(perDayBytes)} come in a day.`
  const growsFor = Math.max(0, keepMs - (now - oldestEventAt))
  if (growsFor === 0) {
    return { perDayBytes, daysLeft: null, sentence: `${came} As much is removed by age: it stays about as it is.` }
  }
  const levelsAt = usedBytes + (perDayBytes * growsFor) / days(1)
  if (levelsAt <= budgetBytes) {
    const when = Math.max(1, Math.round(growsFor / days(1)))
    return {
      perDayBytes,
      daysLeft: null,
      sentence: `${came} In ${when} ${when === 1 ? 'day' : 'days'}, when the oldest events begin to go, it levels off at about ${sizeText(levelsAt)}.`,
    }
  }
  const daysLeft = Math.min(FAR, Math.max(0, Math.floor((budgetBytes - usedBytes) / perDayBytes)))
  return {
    perDayBytes,
    daysLeft,
    sentence: `${came} At this pace the limit is reached in about ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}, before the oldest events begin to go.`,
  }
}

function unknown(sentence: string): Outlook {
  return { perDayBytes: null, daysLeft: null, sentence }
}

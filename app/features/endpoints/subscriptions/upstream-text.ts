// Describes the result of comparing our subscriptions with the platform's list.
import type { UpstreamNote } from '#app/domain/endpoints/upstream.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import { clockTime, plural } from '#app/domain/time/moments.ts'
import { isoOrNull, type Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'
import type { Flash } from '#app/lib/flash.ts'
import { capital } from '#app/lib/plain-text.ts'

/** What the comparison found and did for one object. */
export interface ComparedObject {
  object: string
  /** fine: the platform lists it. repaired: subscribed again. failed: subscribing again failed. */
  outcome: 'fine' | 'repaired' | 'failed'
  /** Why it had ended, in the platform's words; null when it was simply not listed. */
  reason: string | null
  /** Null when the platform does not say. */
  since: Millis | null
  /** Why subscribing again failed. */
  message: string | null
}

export type Comparison = { outcome: 'compared'; objects: ComparedObject[] } | { outcome: 'unreadable'; message: string }

const SHOWN_FOR = days(7)

export function isShown(note: UpstreamNote, now: Millis): boolean {
  return now - note.at < SHOWN_FOR
}

export function upstreamNote(found: ComparedObject, at: Millis, timezone: string): UpstreamNote {
  switch (found.outcome) {
    case 'fine':
      return { verdict: 'ok', sentence: 'Compared with ServiceM8: it lists this webhook as active.', at }
    case 'repaired':
      return { verdict: 'warn', sentence: `Subscribed again: ${whyEnded(found, at, timezone)}`, at }
    case 'failed': {
      const again = found.message ? ` Subscribing again did not work: ${sentence(found.message)}` : ''
      return { verdict: 'fail', sentence: `${capital(whyEnded(found, at, timezone))}${again}`, at }
    }
  }
}

/** The message on the page after the button was pressed. */
export function comparisonFlash(comparison: Comparison, now: Millis, timezone: string): Flash {
  if (comparison.outcome === 'unreadable') {
    return { kind: 'error', title: 'We could not ask ServiceM8', description: comparison.message }
  }
  const { objects } = comparison
  const broken = objects.filter((one) => one.outcome !== 'fine')
  if (broken.length === 0) {
    const description =
      objects.length === 0
        ? 'There is no webhook to compare.'
        : objects.length === 1
          ? 'ServiceM8 lists the webhook as active: nothing had to be repaired.'
          : `ServiceM8 lists all ${plural(objects.length, 'webhook')} as active: nothing had to be repaired.`
    return { kind: 'success', title: 'Compared with ServiceM8', description }
  }
  const said = broken
    .slice(0, MOST_SAID)
    .map((one) => `${objectLabel(one.object)}: ${upstreamNote(one, now, timezone).sentence}`)
  const more = broken.length - said.length
  const description = [...said, more > 0 ? `And ${more} more: see the cards.` : ''].join(' ').trim()
  return broken.some((one) => one.outcome === 'failed')
    ? { kind: 'error', title: 'Not everything could be subscribed again', description }
    : { kind: 'success', title: 'Subscribed again', description }
}

/** Keeps the message short enough to read within seconds. */
const MOST_SAID = 3

function whyEnded({ reason, since }: ComparedObject, now: Millis, timezone: string): string {
  const when = since === null ? '' : ` since ${clockTime(since, now, timezone)}`
  if (reason === null) return `ServiceM8 no longer listed it${when}.`
  return `ServiceM8 had switched it off${when}: ${sentence(reason)}`
}

/** Adds a full stop; `text` ends without one. */
export function sentence(text: string): string {
  const trimmed = text.trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}

/** The comparison as calls return it. */
export function comparisonJson(objects: readonly ComparedObject[]) {
  return {
    objects: objects.map(({ since, ...found }) => ({
      ...found,
      since: isoOrNull(since),
    })),
  }
}

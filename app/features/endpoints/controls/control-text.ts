// Messages the page shows after a button of a webhook or a forwarding rule succeeded or failed.

import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import { clockTime, grouped, plural } from '#app/domain/time/moments.ts'
import type { ForwardingResultView } from '#app/features/events/log-view.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { Flash } from '#app/lib/flash.ts'
import type { Thing } from '../endpoint-kinds.ts'

/** Where the page shows the result of a press on this card: under its buttons, or beside one of its parts. */
export function resultPlace(card: EndpointKey, part: 'buttons' | 'secret' | 'compare' = 'buttons'): string {
  return `${part} of ${card}`
}

/** Where the page shows the result of a press in the line about the whole account. */
export const HEALTH_PLACE = 'health'

const TITLES: Record<Thing, string> = { webhook: 'Webhook', rule: 'Rule' }

export function goneSentence(thing: Thing): string {
  return `This ${thing} no longer exists.`
}

/** What a second press of Delete is told. */
export const DELETED_BEFORE = 'It was deleted already.'

/** Its deletion is too long ago. */
export const UNDO_OVER = 'It was deleted a while ago.'

/** `waiting` = events that were kept. */
export function restoredFlash(title: string, waiting: number, paused: boolean): Flash {
  if (waiting === 0) return { kind: 'success', title }
  const events = plural(waiting, 'event')
  const onTheWay = waiting === 1 ? `${events} is on its way.` : `${events} are on their way.`
  return { kind: 'success', title, description: paused ? `${events} will be sent when you resume.` : onTheWay }
}

export function pausedFlash(waiting: number, thing: Thing = 'webhook'): Flash {
  const now = waiting === 0 ? '' : ` ${plural(waiting, 'event waits', 'events wait')} already.`
  const description = `We keep events and send them when you resume.${now}`
  return { kind: 'success', title: `${TITLES[thing]} paused`, description }
}

export function resumedFlash(waiting: number, thing: Thing = 'webhook', hasAddress = true): Flash {
  const description = hasAddress ? whatIsSent(waiting) : 'Without an address, its events are shown here.'
  return { kind: 'success', title: `${TITLES[thing]} resumed`, description }
}

/** `missed` = number of missed events that are sent again on request; 0 when nobody requested that. */
export function startedFlash(waiting: number, missed: number, thing: Thing = 'webhook'): Flash {
  const again = missed === 0 ? '' : `${missed === 1 ? 'The event' : `The ${grouped(missed)} events`} it missed`
  const description = again === '' ? whatIsSent(waiting) : `${again} ${missed === 1 ? 'is' : 'are'} being sent.`
  return { kind: 'success', title: `${TITLES[thing]} started again`, description }
}

/** The endpoint works again, but requesting its missed events failed. */
export function startedWithoutFlash(why: string): Flash {
  return { kind: 'info', title: 'Started again, without what it missed', description: why }
}

function whatIsSent(waiting: number): string {
  if (waiting === 0) return 'New events are sent as they arrive.'
  return waiting === 1
    ? 'The waiting event is being sent.'
    : `The ${grouped(waiting)} waiting events are being sent, oldest first.`
}

export const SENT_AGAIN: Flash = {
  kind: 'success',
  title: 'Sent again',
  description: 'The result appears in the recent activity within seconds.',
}

export function testedFlash(
  result: Pick<ForwardingResultView, 'success' | 'statusCode' | 'responseTime' | 'error'>,
): Flash {
  if (result.success) {
    const title = `Test webhook sent successfully (Status: ${result.statusCode ?? '–'})`
    return { kind: 'success', title, description: `It took ${result.responseTime} ms.` }
  }
  return notTestedFlash(result.error ?? 'No answer arrived.')
}

export function notTestedFlash(why: string): Flash {
  return { kind: 'error', title: 'Failed to send test webhook', description: why }
}

/** `paused` = what has to be resumed first. */
export function replayStartedFlash(count: number, paused: Thing | null): Flash {
  if (count === 0) return { kind: 'info', title: 'There was nothing to send' }
  if (paused) {
    const title = plural(count, 'event waits', 'events wait')
    return { kind: 'info', title, description: `Resume the ${paused} to send ${count === 1 ? 'it' : 'them'}.` }
  }
  return { kind: 'success', title: `Sending ${plural(count, 'event')} again`, description: 'New events go first.' }
}

export const REPLAY_CANCELLED: Flash = {
  kind: 'success',
  title: 'Sending again was cancelled',
  description: 'Events not sent by then stay unsent.',
}

export const REPLAY_OVER: Flash = {
  kind: 'info',
  title: 'It had already ended',
  description: 'Nothing was left to cancel.',
}

export function secretFlash(previousUntil: Millis, now: Millis, timezone: string): Flash {
  return {
    kind: 'success',
    title: 'New signing secret',
    description: `The old one stays valid for 24 hours, until ${clockTime(previousUntil, now, timezone)}. Put the new one into your system before then.`,
  }
}

/** `doing` = the action in a few words, after "Failed to …". */
export function failedFlash(doing: string, why: string): Flash {
  return { kind: 'error', title: `Failed to ${doing}`, description: why }
}

/** `what` is a plural noun such as `checks`; `ms` = time until the next one is allowed. */
export function tooMany(what: string, ms: number): string {
  return `Too many ${what}. Try again in ${Math.max(1, Math.ceil(ms / 1000))} s.`
}

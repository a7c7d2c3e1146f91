import type { Millis } from '#app/lib/clock.ts'

export const SIGNED_MESSAGES = {
  refused: 'This call is not signed by ServiceM8, or its time is over.',
  replayed: 'This opening was already used. Please open the add-on from ServiceM8 again.',
  ticket: 'This opening is over. Please open the add-on from ServiceM8 again.',
} as const

/**
 * The text of a ticket that a frame hands to a tab: it carries the moment of the opening, so that the tab is no fresher than its
 * frame. Only the hash of the whole text is stored, so nobody can write another moment into it.
 */
export function tabTicket(secret: string, openedAt: Millis): string {
  return `${secret}.${openedAt}`
}

/** Null = the ticket of an opening, which happens when it is used. */
export function openedAtOf(ticket: string): Millis | null {
  const [, openedAt] = /^[\w-]{43}\.(\d{1,15})$/.exec(ticket) ?? []
  return openedAt === undefined ? null : Number(openedAt)
}

// Erasing an account: the name to type, and the texts.
import { z } from 'zod'
import { seconds } from '#app/lib/duration.ts'

/** All work under way when an account ends is over by then: an attempt takes at most 15 s, a run's step less. */
export const LAST_EFFECTS_END = seconds(40)

/** The reason stored when things of an erased account are stopped. */
export const ERASED = 'The account was erased.'

export const ERASURE_TEXTS = {
  wrongName: 'Type the name exactly as it is shown. Nothing was erased.',
  underWay: 'This account is being erased already.',
  subscription:
    'Your subscription could not be ended with the payment provider just now. Nothing was erased; please try again in a few minutes.',
  begun: 'This account is being erased',
  begunMore:
    'Everything has stopped, and every browser is signed out. What was kept is removed within the next few minutes.',
} as const

export const eraseBody = z.strictObject({
  name: z.string({ error: 'Type the name of the account.' }).max(300, 'Type the name of the account.'),
})

/** Returns the name to type. An account that nobody signed in to has no name, so its uuid is used. */
export function nameToType({ uuid, name }: { uuid: string; name: string }): string {
  return name.trim() === '' ? uuid : name.trim()
}

/** Ignores case and surrounding spaces: the name is a pause for thought, not a password. */
export function isNameTyped(typed: string, account: { uuid: string; name: string }): boolean {
  const plain = (text: string) => text.trim().replace(/\s+/g, ' ').toLowerCase()
  return plain(typed) === plain(nameToType(account))
}

/** What is deleted, in the words of the page. */
export const WHAT_GOES = [
  'Webhooks, forwarding rules and automations stop at once, and nothing that waits is sent any more.',
  'ServiceM8 is told to send no more events.',
  'Events, deliveries, the history of automations, templates, settings and the connection to ServiceM8 are removed.',
  'The key that the connection and signing secrets were sealed with is removed last. Backups made before still hold what they held until they are removed in their turn.',
  'Everybody is signed out.',
  'No further month is charged: a subscription ends with the month that is paid, and at once when a payment is open.',
] as const

/** What stays, and why. */
export const WHAT_STAYS = [
  'Who did what (the list on this page), for 400 days: so that it can be proved later who erased the account.',
  'That you have had your trial, your subscription with the payment provider, and how much was used per day: invoices need them. No content.',
] as const

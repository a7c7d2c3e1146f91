// Erasing an account: the name to type, and the texts.
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
  paymentsOff:
    'Card payments are off, so we cannot end your subscription. Nothing was erased. Ask the operator to erase your account.',
  begun: 'This account is being erased',
  begunMore: 'Everything has stopped. Every browser is signed out. Your data is deleted within minutes.',
} as const

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
  'Webhooks, forwarding rules and automations stop at once. Waiting deliveries are discarded.',
  'ServiceM8 stops sending events to Fieldhook.',
  'Events, deliveries, runs, private templates, settings and the connection to ServiceM8.',
  'The encryption key of your secrets, last. Older backups keep their data until they are removed.',
  'Everybody is signed out.',
  'Your subscription: no further month is charged. It ends with the paid month, at once if unpaid.',
] as const

/** What stays, and why. */
export const WHAT_STAYS = [
  'Who did what, for 400 days: proof of who erased the account.',
  'Trial, subscription and usage per day: for invoices. No content.',
  'Public templates: others use them. They no longer belong to your account.',
] as const

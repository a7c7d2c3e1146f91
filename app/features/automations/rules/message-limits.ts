// Limits for the length of texts, and the cost of a text message.
import { FEED_MOST, type ParameterSpec, SMS_MOST } from '#app/domain/automations/action-parameters.ts'

/** Source: the specification, section 9, and the platform (servicem8 facts, section 6). */
const SMS_SEGMENT = 153
/** Characters of an option in a list of templates. */
const OPTION_LONGEST = 50

/** The credits of a text message: one for each 153 characters or part of them; 0 for an empty text. */
export function smsCredits(text: string): number {
  return Math.ceil(text.length / SMS_SEGMENT)
}

/** The hint below the field. Its sentence is fixed by the specification, so it is written out whole. */
export function smsHint(text: string): string {
  return `${text.length}/${SMS_MOST} characters. Messages over 153 chars use multiple SMS credits.`
}

/** `1 credit`, `2 credits`. */
export function creditText(credits: number): string {
  return credits === 1 ? '1 credit' : `${credits} credits`
}

/** Why a text is too long to send, or null. Checked for the text as typed, and again for the final text. */
export function lengthProblem(kind: 'sms' | 'feed', text: string): string | null {
  const longest = kind === 'sms' ? SMS_MOST : FEED_MOST
  if (text.length <= longest) return null
  const what = kind === 'sms' ? 'The text message' : 'The message'
  return `${what} has ${text.length} characters; at most ${longest} can be sent.`
}

/** Why a parameter is too long. Placeholders count as written; null = the text fits. */
export function lengthProblemOf({ label, most = 2_000 }: ParameterSpec, text: string): string | null {
  return text.length > most ? `${label} has at most ${most} characters` : null
}

/** The beginning of a text, as an option of a list. */
export function optionText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > OPTION_LONGEST ? `${line.slice(0, OPTION_LONGEST)}…` : line
}

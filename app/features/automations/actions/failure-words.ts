// A call that did not work, in words for the owner of a trade business: what happened, and the one next step. `errorClass` is
// for machines.
import { missingScope } from '#app/lib/missing-scope.ts'
import { PAUSE_WORDS } from '../rules/run-words.ts'

export type ErrorClass = 'reconnect' | 'scope' | 'suspended' | 'not_found' | 'invalid' | 'rate_limited' | 'unavailable'

/** A platform call's failure, as far as it is told here. */
export interface CallTrouble {
  outcome:
    | 'unauthorized'
    | 'forbidden'
    | 'suspended'
    | 'refused'
    | 'rate_limited'
    | 'unavailable'
    | 'not_connected'
    | 'reconnect'
  message: string
  status?: number | null
  retryAt?: number
  undone?: true
  ofMessages?: true
}

export interface ToldTrouble {
  errorClass: ErrorClass
  sentence: string
  /** When the platform named a moment. */
  retryAt: number | null
}

/** `what` = what was asked for, as the object of a sentence: `this job`, `the e-mail template`. */
export function tellTrouble(trouble: CallTrouble, what: string): ToldTrouble {
  const told = (errorClass: ErrorClass, sentence: string): ToldTrouble => ({ errorClass, sentence, retryAt: null })
  switch (trouble.outcome) {
    case 'unauthorized':
    case 'not_connected':
    case 'reconnect':
      return told('reconnect', PAUSE_WORDS.reconnect)
    case 'suspended':
      return told('suspended', PAUSE_WORDS.suspended)
    case 'forbidden':
      return told('scope', scopeSentence(trouble.message))
    case 'refused':
      return trouble.status === 404
        ? told(
            'not_found',
            `ServiceM8 no longer has ${what}. Open the automation and choose again, or leave this step out.`,
          )
        : told('invalid', `ServiceM8 refused ${what}: "${shorten(trouble.message)}"`)
    case 'rate_limited':
      return {
        errorClass: 'rate_limited',
        sentence: trouble.ofMessages
          ? "ServiceM8's own limit for messages is reached. It goes on by itself when ServiceM8 accepts messages again."
          : 'ServiceM8 allows only so many calls a minute. It goes on by itself in a moment.',
        retryAt: trouble.retryAt ?? null,
      }
    case 'unavailable':
      return told(
        'unavailable',
        `ServiceM8 is not answering as it should: ${shorten(trouble.message)} It is tried again.`,
      )
  }
}

function scopeSentence(message: string): string {
  const scope = missingScope(message)
  const named = scope ? `the permission ${scope} is missing` : `ServiceM8 says "${shorten(message)}"`
  return `We may not do this in ServiceM8: ${named}. Please click Reconnect in the Webhook Manager to give it.`
}

/** The platform's words may be long, and may quote what we sent. */
export function shorten(text: string, most = 200): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}

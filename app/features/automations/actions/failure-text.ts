// A failed call in words for the owner of a trade business: what happened, and the one next step. `errorClass` is for
// machines.
import { runReason } from '#app/domain/automations/run-reasons.ts'
import type { Reason } from '#app/domain/reason.ts'
import { missingScope } from '#app/lib/missing-scope.ts'

type ErrorClass = 'reconnect' | 'scope' | 'suspended' | 'not_found' | 'invalid' | 'rate_limited' | 'unavailable'

/** The parts of a failed platform call that are needed here. */
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

interface ReportedTrouble {
  errorClass: ErrorClass
  sentence: Reason
  /** Set when the platform named a moment. */
  retryAt: number | null
}

/** `what` = the requested thing, as the object of a sentence: `this job`, `the e-mail template`. */
export function reportTrouble(trouble: CallTrouble, what: string): ReportedTrouble {
  const told = (errorClass: ErrorClass, sentence: Reason): ReportedTrouble => ({ errorClass, sentence, retryAt: null })
  switch (trouble.outcome) {
    case 'unauthorized':
    case 'not_connected':
    case 'reconnect':
      return told('reconnect', runReason('reconnect'))
    case 'suspended':
      return told('suspended', runReason('suspended'))
    case 'forbidden': {
      const [scope, message] = [missingScope(trouble.message), shorten(trouble.message)]
      if (scope !== null) return told('scope', runReason('scope', { scope, message }))
      // Nothing could tell when an unnamed permission was granted: a pause would never end by itself.
      return told(
        'invalid',
        `ServiceM8 refused ${what}: "${message}". Reconnect in the Webhook Manager, then run it again.`,
      )
    }
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
        sentence: trouble.ofMessages ? runReason('message_limit') : runReason('call_limit'),
        retryAt: trouble.retryAt ?? null,
      }
    case 'unavailable':
      return told('unavailable', `ServiceM8 is not answering as it should: ${shorten(trouble.message)}`)
  }
}

/** Shortens the platform's words, which may be long and may quote what we sent. */
export function shorten(text: string, most = 200): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}

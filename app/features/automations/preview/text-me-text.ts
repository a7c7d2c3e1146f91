// What a person is told after "Text this to my own phone".
import { assertNever } from '#app/lib/assert-never.ts'
import type { Flash } from '#app/lib/flash.ts'

export type TextMeOutcome =
  | { outcome: 'sent'; name: string; number: string }
  | { outcome: 'too_many' | 'no_number' | 'unknown_person' | 'changed' | 'no_text' }
  | { outcome: 'no_mobile'; name: string }
  | { outcome: 'failed' | 'unclear'; message: string }

const NOT_SENT = 'The text was not sent'

/** `anHour` = how many are allowed. */
export function testTextFlash(done: TextMeOutcome, anHour: number): Flash {
  const refused = (description: string): Flash => ({ kind: 'error', title: NOT_SENT, description })
  switch (done.outcome) {
    case 'sent':
      return {
        kind: 'success',
        title: `Texted ${done.name}`,
        description: `It went to the mobile ending ${end(done.number)}.`,
      }
    case 'too_many':
      return refused(`You can try ${anHour} texts an hour. Wait a little.`)
    case 'no_number':
      return refused('Enter your mobile number first.')
    case 'unknown_person':
      return refused('Open Fieldhook from ServiceM8, so that it knows your mobile.')
    case 'no_mobile':
      return refused(`ServiceM8 has no mobile number for ${done.name}. Add it there first.`)
    case 'changed':
      return refused('The text changed meanwhile. Check the preview and send it again.')
    case 'no_text':
      return refused('There is no text to send. Check the preview.')
    case 'failed':
      return refused(done.message)
    case 'unclear':
      return { kind: 'error', title: 'The text may have been sent', description: `${done.message} Check your phone.` }
    default:
      return assertNever(done)
  }
}

function end(number: string): string {
  return number.slice(-3)
}

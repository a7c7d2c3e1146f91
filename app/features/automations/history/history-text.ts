// Toasts of the run pages.
import { plural } from '#app/domain/time/moments.ts'
import type { Flash } from '#app/lib/flash.ts'

function done(title: string, description?: string): Flash {
  return { kind: 'success', title, ...(description ? { description } : {}) }
}

function refused(title: string, description: string): Flash {
  return { kind: 'error', title, description }
}

/** Nothing is asked to be sent. */
function noted(description: string): Flash {
  return { kind: 'info', title: 'Noted', description }
}

const NONE = 'Nothing was waiting.'

export const RUN_FLASHES = {
  failedAgain: done('Trying again', 'The failed steps run again. Results appear here within seconds.'),
  nothingFailed: refused('Nothing to try again', 'Nothing in this run failed, or it is running now.'),
  allAgain: done('Run again', 'This is the new run. Results appear here within seconds.'),
  repeated: {
    kind: 'info',
    title: 'Already started',
    description: 'You started it a moment ago. This is that run.',
  },
  ruleDeleted: refused('Not run again', 'The automation was deleted in the meantime.'),
  released: done('Released', 'The run continues, or starts at its scheduled time.'),
  notHeld: refused('Nothing to release', 'It no longer waits for you.'),
  discarded: done('Discarded', 'No more steps run. Finished steps stay.'),
  cancelled: done('Cancelled', 'No new steps start. Finished steps stay.'),
  cancelling: done('Cancelling', 'It is running and stops before its next step.'),
  doneAlready: refused('Not cancelled', 'It had already finished.'),
  wentOut: done('Noted', 'We marked the message as sent. The run continues.'),
  staysCancelled: noted('We marked the message as sent. The run stays cancelled.'),
  sendIt: done('Sending', 'The message is sent now.'),
  settledAlready: refused('Nothing to settle', 'Someone else already decided about this message.'),
  gone: refused('Not found', 'It no longer exists.'),
} as const satisfies Record<string, Flash>

export function settledHeldFlash(decision: 'send' | 'discard', count: number): Flash {
  if (count === 0) return RUN_FLASHES.notHeld
  const runs = plural(count, 'run')
  return decision === 'send'
    ? done(`${runs} sent on`, 'They continue one after another, scheduled ones at their time.')
    : done(`${runs} discarded`)
}

export const ANSWER_FLASHES = {
  noted: done('Noted'),
  notOpen: refused('Nothing to decide', 'Someone else already decided about this answer.'),
} as const satisfies Record<string, Flash>

export function answerSettledFlash(
  state: 'went_on' | 'stopped',
  settled: { outcome: 'settled'; messages: number } | { outcome: 'not_open' },
): Flash {
  if (settled.outcome === 'not_open') return ANSWER_FLASHES.notOpen
  const { messages } = settled
  const [waiting, is] = messages === 1 ? ['1 message', 'is'] : [`${messages} messages`, 'are']
  if (messages === 0) return state === 'went_on' ? noted(NONE) : done('Stopped', NONE)
  return state === 'went_on'
    ? done('Messages released', `${waiting} to them can go now. Quiet hours and limits still apply.`)
    : done('Stopped', `${waiting} to them ${is} left out.`)
}

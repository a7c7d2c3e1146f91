// Toasts of the run pages.
import type { Flash } from '#app/lib/flash.ts'

function done(title: string, description?: string): Flash {
  return { kind: 'success', title, ...(description ? { description } : {}) }
}

function refused(title: string, description: string): Flash {
  return { kind: 'error', title, description }
}

export const RUN_FLASHES = {
  failedAgain: done('Trying again', 'What failed is done again. How it goes shows here within a few seconds.'),
  nothingFailed: refused('Nothing to try again', 'Nothing in this run failed, or it is running now.'),
  allAgain: done('Run again', 'This is the new run. How it goes shows here within a few seconds.'),
  repeated: {
    kind: 'info',
    title: 'Already started',
    description: 'You asked for this a moment ago: this is that run.',
  },
  ruleDeleted: refused('Not run again', 'The automation was deleted in the meantime.'),
  released: done('Sent on its way', 'The run continues now.'),
  notHeld: refused('Nothing to release', 'It does not wait for you any more.'),
  discarded: done('Discarded', 'Nothing more of it is done. What was done stays done.'),
  cancelled: done('Cancelled', 'Nothing more of it begins. What was done stays done.'),
  cancelling: done('Cancelling', 'It is at work: it ends before its next step.'),
  doneAlready: refused('Not cancelled', 'It was done already.'),
  wentOut: done('Noted', 'We marked the message as sent. The run continues.'),
  sendIt: done('Sending', 'The message is sent now.'),
  settledAlready: refused('Nothing to settle', 'Somebody settled this message in the meantime.'),
  gone: refused('Not found', 'It is not there any more.'),
} as const satisfies Record<string, Flash>

export function settledHeldFlash(decision: 'send' | 'discard', count: number): Flash {
  if (count === 0) return RUN_FLASHES.notHeld
  const runs = count === 1 ? '1 run' : `${count} runs`
  return decision === 'send'
    ? done(`${runs} sent on`, 'They continue now, one after another.')
    : done(`${runs} discarded`)
}

export const ANSWER_FLASHES = {
  noted: done('Noted'),
  notOpen: refused('Nothing to decide', 'Somebody decided about this answer in the meantime.'),
} as const satisfies Record<string, Flash>

export function answerSettledFlash(
  state: 'went_on' | 'stopped',
  settled: { outcome: 'settled'; messages: number } | { outcome: 'not_open' },
): Flash {
  if (settled.outcome === 'not_open') return ANSWER_FLASHES.notOpen
  const { messages } = settled
  const [waiting, goes, is] = messages === 1 ? ['1 message', 'goes', 'is'] : [`${messages} messages`, 'go', 'are']
  if (state === 'went_on') {
    return done('Messages released', messages === 0 ? 'Nothing was waiting.' : `${waiting} to them ${goes} out now.`)
  }
  return done('Stopped', messages === 0 ? 'Nothing was waiting.' : `${waiting} to them ${is} left out.`)
}

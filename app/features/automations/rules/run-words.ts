// What a run says to people: why it waits, was skipped, is held, came to nothing.

export const JOURNAL_WORDS = {
  mayHaveBeenSent:
    'It may have been sent: ServiceM8 was asked, and no answer came back. It is never repeated by itself. Look in the job diary, then say: it went out, or send it.',
  neverDone: 'It was tried several times and ServiceM8 still does not have it.',
  previousFailed: 'Not begun: the step before it did not succeed.',
  neededFailed: 'Not begun: it uses the result of a step that did not succeed.',
  parentFailed: 'Not begun: what it belongs to could not be made.',
  nothingToDo: 'There was nothing to do.',
  cancelled: 'Cancelled before it was sent.',
  ruleOff: 'Not sent: the automation was switched off in the meantime.',
  ruleDeleted: 'Not sent: the automation was deleted in the meantime.',
  conditionsNoLongerMet: 'Not sent: the conditions no longer hold.',
  recordGone: 'Not sent: the record no longer exists in ServiceM8.',
  saidItWentOut: 'Somebody looked and says that it went out.',
} as const

export const RUN_WORDS = {
  askFirst: 'Waits for you: this automation asks before it does anything.',
  held: 'Waits for you.',
  unknown: 'A message may have been sent, and later steps depend on it. Settle it, and the rest goes on.',
  waiting: 'Waits before it tries again.',
  collected: 'Collected. It runs at its scheduled time.',
  moved: 'Waits for the time a message may be sent.',
  recordsGone: 'Nothing was done: the record was deleted before the automation came to it.',
  emptyList: 'Nothing was done: the list was empty.',
  ruleOff: 'The automation was switched off before this run began.',
  ruleDeleted: 'The automation was deleted before this run began.',
  versionGone: 'What the automation said at that time is no longer known.',
  cancelled: 'Cancelled by a person.',
  discarded: 'Discarded by a person.',
  noSteps: 'The automation has no actions.',
  released: 'A person said: go on.',
} as const

/** Why rules are paused by themselves. Told apart by these very texts, so that they can be taken back. */
export const PAUSE_WORDS = {
  reconnect: 'ServiceM8 no longer accepts our connection. Please click Reconnect in the Webhook Manager.',
  suspended: 'The ServiceM8 account is suspended. The automation goes on when ServiceM8 accepts calls again.',
} as const

/** How a pause ends that waits for a permission, in the platform's words before it: see `tellTrouble`. */
const PERMISSION = /click Reconnect in the Webhook Manager to give it\.$/

/** Is this pause about the account's connection, standing or permissions? Such a pause is taken back by itself. */
export function isConnectionPause(reason: string): boolean {
  return reason === PAUSE_WORDS.reconnect || reason === PAUSE_WORDS.suspended || PERMISSION.test(reason)
}

/** Before all of a run is done once more. */
export function repeatWords(messages: number): string {
  if (messages === 0) return 'Everything is done once more. No customer gets a message again.'
  const times = messages === 1 ? '1 message' : `${messages} messages`
  return `Everything is done once more: ${times} to customers will be sent again.`
}

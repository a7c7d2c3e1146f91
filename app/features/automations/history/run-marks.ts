// The states of a run and of its steps, in words. Small, because every page with a run loads it.
export type RunStanding =
  | 'success'
  | 'partial'
  | 'failure'
  | 'nothing'
  | 'cancelled'
  /** A message may have been sent. */
  | 'unknown'
  | 'held'
  | 'waiting'
  | 'working'

export const STANDING_TEXTS: Readonly<Record<RunStanding, string>> = {
  success: 'Success',
  partial: 'Partial',
  failure: 'Failure',
  nothing: 'Nothing to do',
  cancelled: 'Cancelled',
  unknown: 'May have been sent',
  held: 'Waits for you',
  waiting: 'Waits',
  working: 'Running',
}

export type StepMark = 'done' | 'failed' | 'skipped' | 'waits' | 'held' | 'unknown' | 'not_begun'

export const MARK_TEXTS: Readonly<Record<StepMark, string>> = {
  done: 'Done',
  failed: 'Failed',
  skipped: 'Skipped',
  waits: 'Waits',
  held: 'Waits for you',
  unknown: 'May have been sent',
  not_begun: 'Not started',
}

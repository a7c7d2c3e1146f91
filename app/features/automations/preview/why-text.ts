// The standing between a rule and a record, and its label. Separate from `verdict-view.ts`, which parses stored
// verdicts: pages need only this.

import { type RunStanding, STANDING_TEXTS } from '../history/run-marks.ts'

export type WhyStanding =
  /** The rule acted. */
  | 'fired'
  /** What became of its run, unless it did its work. */
  | Exclude<RunStanding, 'success'>
  | 'not_met'
  /** The rule could act and did not; the reason says why. */
  | 'passed_over'
  | 'off'
  /** Nothing has triggered the rule so far. */
  | 'not_yet'

export const WHY_TEXTS: Readonly<Record<WhyStanding, string>> = {
  ...STANDING_TEXTS,
  fired: 'Ran',
  not_met: 'Conditions not met',
  passed_over: 'Skipped',
  off: 'Off',
  not_yet: 'Not yet',
}

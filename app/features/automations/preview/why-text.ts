// The standing between a rule and a record, and its label. Separate from `verdict-view.ts`, which parses stored
// verdicts: pages need only this.

export type WhyStanding =
  /** The rule acted. */
  | 'fired'
  /** The run waits for a person. */
  | 'held'
  | 'not_met'
  /** The rule could act and did not; the reason says why. */
  | 'passed_over'
  | 'off'
  /** Nothing has triggered the rule so far. */
  | 'not_yet'

export const WHY_TEXTS: Readonly<Record<WhyStanding, string>> = {
  fired: 'Ran',
  held: 'Waits for you',
  not_met: 'Conditions not met',
  passed_over: 'Skipped',
  off: 'Off',
  not_yet: 'Not yet',
}

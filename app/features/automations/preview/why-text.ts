// How it stands between a rule and a record, and the word for it. Apart from `verdict-view.ts`, which reads what was kept: pages draw
// with this alone.

export type WhyStanding =
  /** It did it. */
  | 'fired'
  /** It waits for a person. */
  | 'held'
  | 'not_met'
  /** It could, and did not: the reason stands there. */
  | 'passed_over'
  | 'off'
  /** Nothing has set it off so far. */
  | 'not_yet'

export const WHY_TEXTS: Readonly<Record<WhyStanding, string>> = {
  fired: 'It fired',
  held: 'It waits for you',
  not_met: 'Conditions not met',
  passed_over: 'Skipped',
  off: 'It is off',
  not_yet: 'Not so far',
}

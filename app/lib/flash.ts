/** One message for the next page: a toast with JavaScript, a line at the top of the page without it. */
export interface Flash {
  kind: 'success' | 'error' | 'info'
  title: string
  description?: string
  /** A page of ours that shows more. */
  link?: { to: string; words: string }
  /** The place on the page that shows the message instead, such as the line under the pressed button. */
  at?: string
  /** What was typed was not taken: it is still on the page before. */
  typed?: true
}

/** One message for the next page: a toast with JavaScript, a line at the top of the page without it. */
export interface Flash {
  kind: 'success' | 'error' | 'info'
  title: string
  description?: string
}

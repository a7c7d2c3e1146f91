/** A message as its receiver reads it. */
export interface MessageView {
  channel: 'sms' | 'email'
  /** '' = none. */
  subject: string
  text: string
}

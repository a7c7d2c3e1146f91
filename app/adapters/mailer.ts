// The operator's own mail server, for notices that the platform cannot carry. `smtp/smtp-mailer.server.ts` implements it.

export interface OutgoingMail {
  to: string
  subject: string
  text: string
}

export type MailerResult =
  | { outcome: 'ok' }
  /** The server refused it for good: this address, or these credentials. */
  | { outcome: 'refused'; message: string }
  /** `undone`: certainly nothing was sent. Otherwise the server had the text, and did not say. */
  | { outcome: 'unavailable'; status: null; message: string; undone?: true }

export interface Mailer {
  /** Ends within its time limit, whatever the server does; never rejects. */
  send(mail: OutgoingMail): Promise<MailerResult>
}

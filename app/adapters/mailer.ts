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
  /** `undone`: certainly nothing sent, otherwise the server had the text. `answered`: it says "later" to this mail. */
  | { outcome: 'unavailable'; status: null; message: string; undone?: true; answered?: true }

export interface Mailer {
  /** Ends within its time limit, whatever the server does; never rejects. */
  send(mail: OutgoingMail): Promise<MailerResult>
}

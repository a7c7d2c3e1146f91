// Sends a notice through the operator's mail server. One connection for each mail: they are few, and a server that hangs
// costs one mail its time limit and nothing else.
import { createTransport } from 'nodemailer'
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js'
import { seconds } from '../../lib/duration.ts'
import type { Mailer, MailerResult } from '../mailer.ts'

export interface SmtpSettings {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte. */
  url: string
  /** The sender's address. */
  from: string
}

/** For each wait, and for the whole mail. */
const LIMIT = seconds(10)

/** Hosts that are this machine: the only ones that may be reached without TLS. */
const OWN_MACHINE = new Set(['localhost', '127.0.0.1', '[::1]'])

export function createSmtpMailer(settings: SmtpSettings, { limitMs = LIMIT }: { limitMs?: number } = {}): Mailer {
  const { from } = settings
  return {
    async send({ to, subject, text }) {
      const session = watchSession()
      const transport = createTransport({ ...optionsOf(settings, limitMs), dnsTimeout: limitMs, ...session.options })
      const late = limitOf(limitMs, session.handedOver)
      const message = {
        // As objects, so that no part of an address is read as a list of them.
        from: { name: 'Fieldhook', address: from },
        to: { name: '', address: to },
        subject: oneLine(subject),
        text,
        // Nothing is read from files or addresses.
        disableFileAccess: true,
        disableUrlAccess: true,
        headers: { 'Auto-Submitted': 'auto-generated' },
      }
      try {
        return await Promise.race([
          transport.sendMail(message).then(
            () => OK,
            (error: SmtpError & Error) => failed(error, session.handedOver()),
          ),
          late.result,
        ])
      } finally {
        late.clear()
        transport.close()
      }
    },
  }
}

const OK: MailerResult = { outcome: 'ok' }

function optionsOf({ url }: SmtpSettings, limitMs: number): SMTPTransport.Options {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  const own = OWN_MACHINE.has(hostname)
  const auth =
    username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !own,
    ignoreTLS: !secure && own,
    ...auth,
    connectionTimeout: limitMs,
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
  }
}

/** Until the text is handed over, a failure has certainly sent nothing. nodemailer says so only in its transcript. */
function watchSession() {
  let handedOver = false
  const note = (_entry: unknown, line?: unknown) => {
    if (line === 'DATA') handedOver = true
  }
  const logger = { level() {}, trace: note, debug: note, info: note, warn: note, error: note, fatal: note }
  return { options: { logger, transactionLog: true }, handedOver: () => handedOver }
}

/** A server that answers a little now and then could take forever: the whole mail has the same limit. */
function limitOf(limitMs: number, handedOver: () => boolean): { result: Promise<MailerResult>; clear(): void } {
  let timer: NodeJS.Timeout | undefined
  const result = new Promise<MailerResult>((resolve) => {
    const late = { outcome: 'unavailable', status: null, message: 'The mail server did not finish in time.' } as const
    timer = setTimeout(() => resolve(handedOver() ? late : { ...late, undone: true }), limitMs * 2)
  })
  return { result, clear: () => clearTimeout(timer) }
}

/** nodemailer's errors, with the server's answer if there was one. */
interface SmtpError {
  code?: string
  responseCode?: number
  response?: string
}

function failed(error: SmtpError & Error, handedOver: boolean): MailerResult {
  const message = oneLine(error.response ?? sentenceOf(error))
  const answered = error.responseCode ?? 0
  // 5xx, and a sign-in that cannot be tried, stay refused; 4xx asks to come again, at the sign-in too.
  if (answered >= 500 || (error.code === 'EAUTH' && answered < 400)) return { outcome: 'refused', message }
  const later = { outcome: 'unavailable', status: null, message } as const
  if (answered < 400) return handedOver ? later : { ...later, undone: true }
  // At the greeting or the sign-in, "later" is about every mail.
  const isOfThisMail = error.code === 'EENVELOPE' || error.code === 'EMESSAGE'
  return { ...later, undone: true, ...(isOfThisMail && { answered: true }) }
}

function sentenceOf({ code, message }: SmtpError & Error): string {
  if (code === 'ETIMEDOUT') return 'The mail server did not answer in time.'
  if (code === 'ETLS') return 'The mail server offers no TLS.'
  if (code === 'ECONNECTION' || code === 'ESOCKET' || code === 'EDNS') return 'The mail server cannot be reached.'
  return message
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200)
}

// Untrusted content, served so that it cannot act as a page of ours: files, e-mails, the add-on's answer.
import type { Answer } from '../http.server.ts'
import type { ConsoleStage } from './stage.server.ts'

/** An attachment's bytes, as a download. */
export function fileAnswer({ world }: ConsoleStage, accountUuid: string, uuid: string): Answer | null {
  const file = world.fileOf(accountUuid, uuid)
  if (!file) return null
  return {
    status: 200,
    headers: {
      'content-type': file.type || 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
    body: file.bytes,
  }
}

/** Replaces the browser's default serif font and margin, as mail programs do. */
const MAIL_LOOK =
  '<!doctype html><meta charset="utf-8"><style>body{margin:16px;font:15px/1.5 system-ui,sans-serif}</style>'

/** An e-mail's HTML for the frame that shows it: no scripts, no remote content. */
export function mailAnswer({ world }: ConsoleStage, accountUuid: string, id: number): Answer | null {
  const item = world.outbox(accountUuid).find((one) => one.id === id)
  if (item?.kind !== 'email') return null
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
      'referrer-policy': 'no-referrer',
    },
    body: `${MAIL_LOOK}${item.htmlBody}`,
  }
}

/** The add-on's answer to the signed post, as the platform shows it in its frame. */
export function answerOfAddon({ openings, origin, otherSite }: ConsoleStage, id: number): Answer | null {
  const opened = openings.find(id)
  if (!opened || opened.answer.status === null) return null
  const { contentType, body } = opened.answer
  const isPage = /^text\/html\b/i.test(contentType)
  const framers = ["'self'", ...(otherSite === '' ? [] : [otherSite])].join(' ')
  return {
    status: 200,
    headers: {
      'content-type': isPage ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
      // The platform does not forward the answer's own policy; the answer may only navigate to the add-on.
      'content-security-policy': `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; form-action ${origin}; base-uri 'none'; frame-ancestors ${framers}`,
      'referrer-policy': 'same-origin',
    },
    body,
  }
}

// A page of the stage as an answer: static markup, so that all content is escaped, under a policy without scripts.
import type { IncomingMessage } from 'node:http'
import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { Answer } from '../http.server.ts'

/** Path and query of a request, whatever the client sent. */
export function addressOf(req: IncomingMessage): { path: string; query: URLSearchParams } {
  const target = req.url ?? '/'
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  return { path: decoded(path), query: new URLSearchParams(mark < 0 ? '' : target.slice(mark)) }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** @param alsoOf more origins, besides our own, that forms may post to and frames may show */
export function pageAnswer(status: number, page: ReactElement, alsoOf: readonly string[] = []): Answer {
  const ours = ["'self'", ...alsoOf].join(' ')
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        `frame-src ${ours}`,
        `form-action ${ours}`,
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      // Not no-referrer: forms would post with `Origin: null`, and the stage only accepts posts from its own pages.
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
    },
    body: `<!doctype html>\n${renderToStaticMarkup(page)}`,
  }
}

// For lists that a page polls every two seconds: unchanged, they cost a few bytes.
import { createHash } from 'node:crypto'
import { answer } from '#app/http/respond.ts'

/** 200 with an `ETag` of the content, or 304 without a body when the request already has it. */
export function answerUnlessKnown(request: Request, body: unknown, caching = 'private, no-cache'): Response {
  const tag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 27)}"`
  const headers = { ETag: tag, 'Cache-Control': caching }
  return knows(request.headers.get('if-none-match'), tag)
    ? new Response(null, { status: 304, headers })
    : answer(200, body, headers)
}

/** Weak and strong tags compare as equal here (RFC 9110, If-None-Match); a compressing proxy makes them weak. */
function knows(header: string | null, tag: string): boolean {
  if (header === null) return false
  return header.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')))
}

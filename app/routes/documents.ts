import type { LoaderFunctionArgs } from '@remix-run/node'
import { openDocument } from '#app/features/automations/actions/document-links.server.ts'
import { answerVisit } from '#app/http/calls/call.server.ts'
import { requireRate } from '#app/http/rate-limit.server.ts'
import { problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'

/**
 * `/documents/{token}`: redirects to a file that a rule created. No session: anyone with the address may open it until
 * it expires. The file itself stays at the platform; we only redirect.
 */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { params, context } = args
  return answerVisit(args, {
    GET: async () => {
      requireRate(context.app, 'document', context.clientIp)
      const opened = await openDocument(context.app, params.token ?? '')
      switch (opened.outcome) {
        case 'found':
          return new Response(null, { status: 302, headers: { ...PRIVATE, Location: opened.url } })
        case 'unknown':
          return problem(404, 'This link does not lead to a document. Was it copied completely?', PRIVATE)
        case 'expired':
          return problem(410, 'This link has expired. Ask the sender for a new one.', PRIVATE)
        case 'gone':
          return problem(410, 'This document is no longer kept. Ask the sender for a new one.', PRIVATE)
        case 'unavailable':
          return problem(503, 'The document cannot be fetched just now. Please try again in a few minutes.', PRIVATE)
        default:
          return assertNever(opened)
      }
    },
  })
}

export const action = loader

/** Prevents caching on the way and listing in search engines. */
const PRIVATE = { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex, nofollow' }

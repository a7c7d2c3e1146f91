import type { LoaderFunctionArgs } from '@remix-run/node'
import type { Settings } from '#app/context/app-context.ts'
import { type OpenApiDocument, openApiDocument } from '#app/features/reference/openapi.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireRate } from '#app/http/rate-limit.server.ts'
import { answerUnlessKnown } from './webhook-activity-etag.server.ts'

/** `GET /api/openapi.json`: the calls as a document for programs. For anybody; it is the same for everybody. */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerCall(args, {
    GET: () => {
      requireRate(context.app, 'reference', context.clientIp)
      return answerUnlessKnown(request, documentOf(context.app.settings), 'public, max-age=300')
    },
  })
}

export const action = loader

/** Made once: it follows from the settings alone. */
const documents = new WeakMap<Settings, OpenApiDocument>()

function documentOf(settings: Settings): OpenApiDocument {
  const document = documents.get(settings) ?? openApiDocument(settings)
  documents.set(settings, document)
  return document
}

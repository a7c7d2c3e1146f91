// Collects every JSON call of the product from its families, and finds a call by its address.
import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import type { Settings } from '#app/context/app-context.ts'
import type { Reference } from '#app/contract/operation.ts'
import { type OpenApiDocument, openApiDocument } from '#app/features/reference/openapi.ts'
import { answerPath, type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { notFound } from '#app/http/respond.ts'
import { pathFinder } from '../route-patterns.ts'
import { accountCalls } from './account-calls.server.ts'
import { answerCalls } from './answer-calls.server.ts'
import { answerUnlessKnown } from './answer-unless-known.server.ts'
import { automationCalls } from './automation-calls.server.ts'
import { automationSettingsCalls } from './automation-settings-calls.server.ts'
import { billingCalls } from './billing-calls.server.ts'
import { dataCalls } from './data-calls.server.ts'
import { eventCalls } from './event-calls.server.ts'
import { forwardingRuleCalls } from './forwarding-rule-calls.server.ts'
import { lookupCalls } from './lookup-calls.server.ts'
import { noticeCalls } from './notice-calls.server.ts'
import { operatorCalls } from './operator-calls.server.ts'
import { templateCalls } from './template-calls.server.ts'
import { webhookCalls } from './webhook-calls.server.ts'

const referenceCalls: Reference<Call> = {
  tags: [{ name: 'This reference', says: 'The same as a document for programs.' }],
  schemas: {},
  operations: [
    defineCall({
      id: 'showReference',
      method: 'GET',
      path: 'api/openapi.json',
      tag: 'This reference',
      summary: 'Gives this reference as an OpenAPI 3.1 document',
      who: 'anyone',
      answers: [
        {
          status: 200,
          says: 'The document.',
          schema: z.object({ openapi: z.string() }).catchall(z.unknown()),
          example: { openapi: '3.1.1' },
          headers: { ETag: 'Sent back as `If-None-Match`, an unchanged document is answered 304 without a body.' },
        },
      ],
      limit: LIMITS.reference,
      handle: ({ app, request }) => answerUnlessKnown(request, documentOf(app.settings), 'public, max-age=300'),
    }),
  ],
}

const FAMILIES: readonly Reference<Call>[] = [
  accountCalls,
  dataCalls,
  webhookCalls,
  forwardingRuleCalls,
  noticeCalls,
  eventCalls,
  automationCalls,
  answerCalls,
  automationSettingsCalls,
  templateCalls,
  lookupCalls,
  billingCalls,
  operatorCalls,
  referenceCalls,
]

/** All calls, for the page, the document and docs/api.md. */
export const REFERENCE: Reference<Call> = {
  tags: FAMILIES.flatMap(({ tags }) => tags),
  operations: FAMILIES.flatMap(({ operations }) => operations),
  schemas: Object.assign({}, ...FAMILIES.map(({ schemas }) => schemas)),
}

/** Each path once: `api/webhooks/:key`. */
export const CALL_PATHS: readonly string[] = [...new Set(REFERENCE.operations.map(({ path }) => path))]

const findPath = pathFinder(CALL_PATHS)

/** Answers every request below `/api`. Unknown calls get JSON too, never a page. */
export function answerApi(args: ActionFunctionArgs): Promise<Response> {
  const found = findPath(new URL(args.request.url).pathname)
  if (!found) return Promise.resolve(notFound())
  const calls = REFERENCE.operations.filter(({ path }) => path === found.path)
  return answerPath(calls, { ...args, params: found.params })
}

/** Created once: it depends on the settings alone. */
const documents = new WeakMap<Settings, OpenApiDocument>()

function documentOf(settings: Settings): OpenApiDocument {
  const document = documents.get(settings) ?? openApiDocument(REFERENCE, settings)
  documents.set(settings, document)
  return document
}

// Every call of the product, gathered from its features. A route below api/ that is not here fails a test, and so does a call here
// that no route answers.
import { z } from 'zod'
import type { Operation, ReferencePart } from '#app/contract/operation.ts'
import { automationCalls } from '#app/features/automations/api/api-reference.ts'
import { webhookCalls } from '#app/features/endpoints/api/api-reference.ts'
import { accountCalls } from '../accounts/api-reference.ts'
import { billingCalls } from '../billing/api-reference.ts'
import { eventCalls } from '../events/api-reference.ts'
import { lookupCalls } from '../lookups/api-reference.ts'
import { operatorCalls } from '../ops/api-reference.ts'
import { templateCalls } from '../templates/api-reference.ts'

const referenceCall: ReferencePart = {
  tags: [{ name: 'This reference', says: 'The same as a document for programs.' }],
  schemas: {},
  operations: [
    {
      id: 'showReference',
      method: 'GET',
      route: 'api/openapi.json',
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
      limit: '30 a minute and address',
    },
  ],
}

const PARTS: readonly ReferencePart[] = [
  accountCalls,
  webhookCalls,
  eventCalls,
  automationCalls,
  templateCalls,
  lookupCalls,
  billingCalls,
  operatorCalls,
  referenceCall,
]

export const TAGS = PARTS.flatMap(({ tags }) => tags)
export const OPERATIONS: readonly Operation[] = PARTS.flatMap(({ operations }) => operations)

/** Schemas with a name of their own, by that name. */
export const NAMED_SCHEMAS: Readonly<Record<string, z.ZodType>> = Object.assign(
  {},
  ...PARTS.map(({ schemas }) => schemas),
)

/** Below api/, but no JSON call: each with the reason. */
export const NOT_CALLS: Readonly<Record<string, string>> = {
  'api/oauth/authorize': 'leads a browser to ServiceM8 to sign in',
  'api/oauth/callback': 'takes a browser that comes back from signing in',
  'api/*': 'nothing is there',
}

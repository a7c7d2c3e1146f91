// The reference as an OpenAPI 3.1 document.
import {
  limitText,
  type Operation,
  type Parameter,
  type Reference,
  type Success,
  type Who,
} from '#app/contract/operation.ts'
import { REFUSAL_TEXTS, type Refusal, refusalsOf } from '#app/contract/refusals.ts'
import {
  answerSchema,
  bodySchema,
  type JsonSchema,
  type NamedSchemas,
  namedSchemas,
  parameterSchema,
  SCHEMAS_AT,
} from './json-schema.ts'
import { FORWARD_BODY, FORWARD_EXAMPLE, FORWARD_HEADERS, FORWARD_SAYS } from './outgoing.ts'
import { GENERAL_TEXTS } from './reference-text.ts'

const OPENAPI_VERSION = '3.1.1'

interface DocumentInput {
  /** The public address of this installation. */
  origin: string
  version: string
  /** Refuses answers with unnamed fields: for testing real answers. */
  closed?: boolean
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>

export function openApiDocument(reference: Reference, { origin, version, closed = false }: DocumentInput) {
  const { tags, schemas } = reference
  return {
    openapi: OPENAPI_VERSION,
    info: {
      title: 'Fieldhook',
      version,
      summary: 'Webhook forwarding and automations for trade businesses on ServiceM8.',
      description: GENERAL_TEXTS.join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: origin }],
    tags: tags.map(({ name, says }) => ({ name, description: says })),
    paths: pathsOf(reference, closed),
    webhooks: { forward: { post: forward() } },
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie(origin),
          description:
            'The cookie of a browser that signed in through ServiceM8. Opened from inside it, the name is without `-top`.',
        },
        adminFlag: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Admin-Mode',
          description: '`true`, or `admin=yes` in the address. Counts for accounts in ADMIN_ACCOUNTS only.',
        },
        triggerKey: {
          type: 'apiKey',
          in: 'query',
          name: 'key',
          description: 'The key in the `triggerUrl` of a manual automation.',
        },
      },
      responses: Object.fromEntries(
        Object.entries(REFUSAL_TEXTS).map(([status, says]) => [`Refused${status}`, refused(Number(status), says)]),
      ),
      schemas: { ...namedSchemas(schemas, closed), ...PROBLEMS },
    },
  }
}

const PROBLEMS: Record<string, JsonSchema> = {
  Problem: {
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string', description: 'One sentence for people.' } },
  },
  ProblemByField: {
    type: 'object',
    required: ['message'],
    properties: {
      message: { type: 'string', description: 'One sentence for people.' },
      errors: {
        type: 'object',
        additionalProperties: { type: 'array', items: { type: 'string' } },
        description: 'By field; below lists and objects with dots.',
      },
    },
  },
}

/** The cookie name in a browser tab (app/http/cookies.ts). */
export function sessionCookie(origin: string): string {
  return origin.startsWith('https:') ? '__Host-sid-top' : 'sid-top'
}

/** `api/webhooks/:key` in the document's format: `/api/webhooks/{key}`. */
export function documentPath(path: string): string {
  return `/${path.replace(/:(\w+)/g, '{$1}')}`
}

function pathsOf(
  { operations, schemas }: Reference,
  closed: boolean,
): Record<string, Record<string, ReturnType<typeof operationOf>>> {
  const paths: Record<string, Record<string, ReturnType<typeof operationOf>>> = {}
  for (const operation of operations) {
    const path = documentPath(operation.path)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationOf(operation, schemas, closed) }
  }
  return paths
}

const SECURITY: Readonly<Record<Who, Record<string, string[]>[]>> = {
  session: [{ session: [] }],
  admin: [{ session: [], adminFlag: [] }],
  key: [{ triggerKey: [] }],
  anyone: [],
}

function operationOf(operation: Operation, named: NamedSchemas, closed: boolean) {
  const { id, tag, summary, description = [], who, parameters = [], body, answers, limit } = operation
  const paragraphs = [...description, ...(limit ? [`At most ${limitText(limit)}.`] : [])]
  // The security scheme already describes the key.
  const shown = parameters.filter((one) => !(who === 'key' && one.name === 'key'))
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(paragraphs.length > 0 && { description: paragraphs.join('\n\n') }),
    security: SECURITY[who],
    ...(shown.length > 0 && { parameters: shown.map(parameterOf) }),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: bodySchema(body), example: body.example } },
      },
    }),
    responses: {
      ...Object.fromEntries(answers.map((answer) => [answer.status, successOf(answer, named, closed)])),
      ...(answers.some(({ headers }) => headers?.ETag) && { 304: { description: 'Unchanged; without a body.' } }),
      ...Object.fromEntries(
        refusalsOf(operation).map((refusal) => [refusal.status, refusalOf(operation, refusal, named, closed)]),
      ),
    },
  }
}

function parameterOf({ name, in: where, schema, required, description }: Parameter) {
  return { name, in: where, required, description, schema: parameterSchema(schema) }
}

function successOf({ says, schema, example, headers }: Success, named: NamedSchemas, closed: boolean) {
  return {
    description: says,
    ...(headers && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
      ),
    }),
    content: { 'application/json': { schema: answerSchema(schema, named, closed), example } },
  }
}

function refusalOf(
  { refusalSchemas }: Operation,
  { status, says, usual }: Refusal,
  named: NamedSchemas,
  closed: boolean,
) {
  const own = refusalSchemas?.[status]
  if (own === undefined) return usual ? { $ref: `#/components/responses/Refused${status}` } : refused(status, says)
  const anyOf = [answerSchema(own, named, closed), problemRef(status)]
  return { description: says, content: { 'application/json': { schema: { anyOf } } } }
}

function problemRef(status: number): JsonSchema {
  return { $ref: `${SCHEMAS_AT}${status === 400 ? 'ProblemByField' : 'Problem'}` }
}

function refused(status: number, says: string) {
  return {
    description: says,
    ...(status === 429 && {
      headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } },
    }),
    content: { 'application/json': { schema: problemRef(status) } },
  }
}

function forward() {
  return {
    operationId: 'forward',
    summary: 'An event, forwarded to your address',
    description: FORWARD_SAYS.join('\n\n'),
    security: [],
    parameters: FORWARD_HEADERS.map(({ name, says, example }) => ({
      name,
      in: 'header',
      required: true,
      description: says,
      schema: { type: 'string' },
      example,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: FORWARD_BODY, example: FORWARD_EXAMPLE } },
    },
    responses: {
      '2XX': { description: 'Delivered.' },
      '410': { description: 'Wants nothing more: the webhook is stopped.' },
      '429': { description: 'Slower, please: `Retry-After` is waited for.' },
      default: { description: 'Tried again for 72 hours.' },
    },
  }
}

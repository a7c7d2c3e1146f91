// The reference as a page and a text show it: calls in groups, their fields in rows, an example as a command.

import { DEMO_ACCOUNT, type Method, type Operation, type Parameter, type Who } from '#app/contract/operation.ts'
import { type Refusal, refusalsOf } from '#app/contract/refusals.ts'
import { answerSchema, bodySchema, type JsonSchema, namedSchemas, parameterSchema } from './json-schema.ts'
import { documentPath, sessionCookie } from './openapi.ts'
import { OPERATIONS, TAGS } from './operations.ts'
import { FORWARD_EXAMPLE, FORWARD_HEADERS, FORWARD_SAYS } from './outgoing.ts'
import { groupAnchor, typeAnchor } from './reference-words.ts'
import { type FieldRow, refersTo, rowsOf, typeWords } from './schema-words.ts'

export interface ShownAnswer {
  status: number
  says: string
  /** `list of Webhook`. */
  type: string
  refersTo: string | null
  /** Of what has no name of its own. */
  rows: FieldRow[]
  example: string
}

export interface ShownCall {
  anchor: string
  method: Method
  path: string
  summary: string
  description: readonly string[]
  who: Who
  limit: string | null
  parameters: (FieldRow & { where: string })[]
  body: FieldRow[] | null
  answers: ShownAnswer[]
  refusals: Refusal[]
  curl: string
}

export interface ShownGroup {
  anchor: string
  name: string
  says: string
  calls: ShownCall[]
}

export interface ShownType {
  name: string
  anchor: string
  rows: FieldRow[]
}

export interface ReferenceView {
  groups: ShownGroup[]
  types: ShownType[]
  /** What is sent to an address. */
  forward: { says: readonly string[]; headers: readonly { name: string; says: string }[]; example: string }
}

/** `origin` = the address that the examples call. */
export function referenceView(origin: string): ReferenceView {
  return {
    groups: TAGS.map(({ name, says }) => ({
      anchor: groupAnchor(name),
      name,
      says,
      calls: OPERATIONS.filter(({ tag }) => tag === name).map((operation) => shownCall(operation, origin)),
    })),
    types: Object.entries(namedSchemas(false)).map(([name, schema]) => ({
      name,
      anchor: typeAnchor(name),
      rows: rowsOf(schema),
    })),
    forward: {
      says: FORWARD_SAYS,
      headers: FORWARD_HEADERS.map(({ name, says }) => ({ name, says })),
      example: JSON.stringify(FORWARD_EXAMPLE, null, 2),
    },
  }
}

function shownCall(operation: Operation, origin: string): ShownCall {
  const { id, method, route, summary, description = [], who, parameters = [], body, answers, limit } = operation
  return {
    anchor: id,
    method,
    path: documentPath(route),
    summary,
    description,
    who,
    limit: limit ?? null,
    parameters: parameters.map((one) => ({ ...parameterRow(one), where: WHERE[one.in] })),
    body: body ? rowsOf(bodySchema(body)) : null,
    answers: answers.map(({ status, says, schema, example }) => {
      const json = answerSchema(schema, false)
      const named = refersTo(json)
      return {
        status,
        says,
        type: typeWords(json),
        refersTo: named,
        rows: named !== null && !isMixed(json) ? [] : rowsOf(json),
        example: JSON.stringify(example, null, 2),
      }
    }),
    refusals: refusalsOf(operation),
    curl: curlOf(operation, origin),
  }
}

/** One of several kinds of answer: its fields are told, too. */
function isMixed(schema: JsonSchema): boolean {
  return (schema.anyOf?.length ?? 0) > 1
}

const WHERE = { path: 'path', query: 'query', header: 'header' } as const

function parameterRow({ name, schema, required, description }: Parameter): FieldRow {
  return { name, type: typeWords(parameterSchema(schema)), refersTo: null, required, says: description }
}

const EXAMPLES: Readonly<Record<string, string>> = {
  accountUUID: DEMO_ACCOUNT,
  objectType: 'job',
  list: 'queues',
  apiName: 'jobs',
  replayId: '4',
  key: 'YOUR_KEY',
}

function curlOf({ id, method, route, who, parameters = [], body }: Operation, origin: string): string {
  const isAccount = (name: string) =>
    parameters.some(
      (one) => one.name === name && one.in === 'path' && /^(The account|An external id)/.test(one.description),
    )
  const exampleOf = (name: string) => {
    if (id === 'endSession') return 'Zk1xk0c9QmS2m7bV0aT3yw'
    if (name === 'key' && route.includes(':key')) return isAccount(name) ? DEMO_ACCOUNT : '7'
    return isAccount(name) ? DEMO_ACCOUNT : (EXAMPLES[name] ?? '7')
  }
  const path = route.replace(/:(\w+)/g, (_all, name: string) => exampleOf(name))
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => `${name}=${exampleOf(name)}`)
  const url = `${origin}/${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const signedIn = who === 'session' || who === 'admin'
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${url}'`,
    ...(signedIn ? [`-H 'Cookie: ${sessionCookie(origin)}=YOUR_SESSION'`] : []),
    ...(signedIn && method !== 'GET' ? ["-H 'Sec-Fetch-Site: same-origin'"] : []),
    ...(who === 'admin' ? ["-H 'X-Admin-Mode: true'"] : []),
    ...(body
      ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body.example).replaceAll("'", "'\\''")}'`]
      : []),
  ]
  return lines.join(' \\\n  ')
}

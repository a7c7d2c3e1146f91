import { limitText, type Operation, type Parameter, type Reference } from '#app/contract/operation.ts'
import { refusalsOf } from '#app/contract/refusals.ts'
import {
  answerSchema,
  bodySchema,
  type JsonSchema,
  type NamedSchemas,
  namedSchemas,
  parameterSchema,
} from './json-schema.ts'
import { documentPath, sessionCookie } from './openapi.ts'
import { FORWARD_EXAMPLE, FORWARD_HEADERS, FORWARD_SAYS } from './outgoing.ts'
import { groupAnchor, typeAnchor } from './reference-text.ts'
import { type FieldRow, refersTo, rowsOf, typeText } from './schema-text.ts'

export type ReferenceView = ReturnType<typeof referenceView>
export type ShownGroup = ReferenceView['groups'][number]
export type ShownType = ReferenceView['types'][number]
export type ShownCall = ReturnType<typeof shownCall>
export type ShownAnswer = ShownCall['answers'][number]

/** `origin` = the address used in the examples. */
export function referenceView({ tags, operations, schemas }: Reference, origin: string) {
  return {
    groups: tags.map(({ name, says }) => ({
      anchor: groupAnchor(name),
      name,
      says,
      calls: operations.filter(({ tag }) => tag === name).map((operation) => shownCall(operation, schemas, origin)),
    })),
    types: Object.entries(namedSchemas(schemas, false)).map(([name, schema]) => ({
      name,
      anchor: typeAnchor(name),
      rows: rowsOf(schema),
    })),
    /** The request sent to an endpoint. */
    forward: {
      says: FORWARD_SAYS,
      headers: FORWARD_HEADERS.map(({ name, says }) => ({ name, says })),
      example: JSON.stringify(FORWARD_EXAMPLE, null, 2),
    },
  }
}

function shownCall(operation: Operation, named: NamedSchemas, origin: string) {
  const { id, method, path, summary, description = [], who, parameters = [], body, answers, limit } = operation
  return {
    anchor: id,
    method,
    path: documentPath(path),
    summary,
    description,
    who,
    limit: limit ? limitText(limit) : null,
    parameters: parameters.map((one) => ({ ...parameterRow(one), where: WHERE[one.in] })),
    body: body ? rowsOf(bodySchema(body)) : null,
    answers: answers.map(({ status, says, schema, example }) => {
      const json = answerSchema(schema, named, false)
      const thing = refersTo(json)
      return {
        status,
        says,
        /** `list of Webhook`. */
        type: typeText(json),
        refersTo: thing,
        /** For a type without its own name. */
        rows: thing !== null && !isMixed(json) ? [] : rowsOf(json),
        example: JSON.stringify(example, null, 2),
      }
    }),
    refusals: refusalsOf(operation),
    curl: curlOf(operation, origin),
  }
}

/** One of several kinds of answer: its fields are listed, too. */
function isMixed(schema: JsonSchema): boolean {
  return (schema.anyOf?.length ?? 0) > 1
}

const WHERE = { path: 'path', query: 'query', header: 'header' } as const

function parameterRow({ name, schema, required, description }: Parameter): FieldRow {
  return { name, type: typeText(parameterSchema(schema)), refersTo: null, required, says: description }
}

function curlOf({ method, path, who, parameters = [], body }: Operation, origin: string): string {
  const exampleOf = (name: string) => parameters.find((one) => one.name === name)?.example ?? '7'
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => `${name}=${exampleOf(name)}`)
  const filled = path.replace(/:(\w+)/g, (_all, name: string) => exampleOf(name))
  const url = `${origin}/${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
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

// Calls shared by webhooks and forwarding rules: list, create, change, delete. Each family brings its own texts.
import { z } from 'zod'
import { answered, type Body, DONE, deleted, type Operation, type Parameter } from '#app/contract/operation.ts'
import type { EndpointKind } from '#app/domain/endpoint-key.ts'
import type { Refused } from '#app/features/endpoints/endpoint-changes.server.ts'
import type { EndpointDetails } from '#app/features/endpoints/endpoint-view.ts'
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  updateEndpoint,
} from '#app/features/endpoints/endpoints.server.ts'
import { REFUSED_STATUS } from '#app/features/endpoints/manager-page.server.ts'
import { type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { requireAccount } from '#app/http/guards.server.ts'
import { answer, badInput, invalid, notFound, problem } from '#app/http/respond.ts'
import { CALL_NAMES, findEndpoint, idOfEndpoint } from './address-calls.server.ts'

type AccountParameter = Parameter & { names: 'account'; required: true }

export interface EndpointFamily<S extends z.ZodType<object> = z.ZodType<object>> {
  kind: EndpointKind
  schema: S
  example: z.output<S>
  json(endpoint: EndpointDetails, warning?: string | null): z.output<S>
  /** Converts a body to the fields of the kind's form. */
  formOf(body: Record<string, unknown>): Record<string, unknown>
  /** The name of the id in the path of a change. */
  idName: 'id' | 'key'
  create: Pick<Operation, 'summary' | 'description' | 'parameters' | 'refusals'> &
    Pick<Body, 'schema' | 'fields' | 'example'> & {
      /** Text for a replacement; missing = none. */
      replaced?: string
    }
  change: Pick<Body, 'schema' | 'fields'> & { description: string }
  delete: string
}

export function listCall(
  { kind, schema, example, json }: EndpointFamily,
  its: Pick<Operation, 'id' | 'description'> &
    Partial<Pick<Operation, 'path' | 'summary'>> & { parameters: readonly [AccountParameter] },
): Call {
  const { tag, path } = CALL_NAMES[kind]
  return defineCall({
    method: 'GET',
    path,
    tag,
    summary: `Lists an account's ${tag.toLowerCase()}`,
    ...its,
    who: 'session',
    answers: [answered(200, 'All of them.', z.array(schema), [example])],
    handle: async ({ app, access }) =>
      (await listEndpoints(app, access.accountUuid, kind)).map((endpoint) => json(endpoint)),
  })
}

/** Create, change and delete. */
export function changingCalls(family: EndpointFamily): Call[] {
  return [createCall(family), changeCall(family), deleteCall(family)]
}

function createCall({ kind, schema: one, example, json, formOf, create }: EndpointFamily): Call {
  const { schema, fields, example: sent, replaced, ...described } = create
  return defineCall({
    id: `create${CALL_NAMES[kind].one}`,
    method: 'POST',
    path: CALL_NAMES[kind].path,
    tag: CALL_NAMES[kind].tag,
    ...described,
    who: 'session',
    body: { schema, raw: true, account: 'accountUUID', fields, example: sent },
    answers: [
      answered(201, 'It was made.', one, example),
      ...(replaced ? [answered(200, replaced, one, example)] : []),
    ],
    refusals: {
      401: NOT_CONNECTED,
      403: 'An object type that needs an admin.',
      502: 'ServiceM8 refused, with its message. Nothing was stored.',
      ...described.refusals,
    },
    handle: async ({ app, body, access: { accountUuid, accountId, admin } }) => {
      requireKnownNames(body, formOf, fields)
      const form = { ...formOf(body), accountUUID: accountId }
      const made = await createEndpoint(app, accountUuid, kind, form, { admin })
      if (made.outcome === 'created') return json(made.endpoint, made.warning)
      if (made.outcome === 'replaced') return answer(200, json(made.endpoint, made.warning))
      return refusal(made)
    },
  })
}

function changeCall({ kind, schema, example, json, formOf, idName, change }: EndpointFamily): Call {
  const { one, tag, path } = CALL_NAMES[kind]
  return defineCall({
    id: `change${one}`,
    method: 'PUT',
    path: `${path}/:${idName}`,
    tag,
    summary: 'Changes what is named',
    description: [change.description],
    who: 'session',
    parameters: [idOfEndpoint(kind, idName)],
    body: { schema: change.schema, raw: true, fields: change.fields, example: { active: false } },
    answers: [answered(200, 'As it is now.', schema, { ...example, active: false, status: 'paused' })],
    refusals: { 401: NOT_CONNECTED, 502: 'ServiceM8 refused, with its message. Nothing was changed.' },
    find: findEndpoint(kind, idName),
    handle: async ({ app, request, body, found: { key }, access: { accountUuid } }) => {
      requireKnownNames(body, formOf, change.fields)
      const { accountUUID: named = accountUuid } = body
      if ((await requireAccount(app, request, named)).accountUuid !== accountUuid) return notFound()
      const changed = await updateEndpoint(app, accountUuid, key, formOf(body))
      if (changed.outcome === 'not_found') return notFound()
      return changed.outcome === 'updated' ? json(changed.endpoint, changed.warning) : refusal(changed)
    },
  })
}

function deleteCall({ kind, idName, delete: says }: EndpointFamily): Call {
  const { name, one, tag, path } = CALL_NAMES[kind]
  return defineCall({
    id: `delete${one}`,
    method: 'DELETE',
    path: `${path}/:${idName}`,
    tag,
    summary: `Deletes a ${name}`,
    description: [says],
    who: 'session',
    parameters: [idOfEndpoint(kind, idName)],
    answers: [deleted],
    find: findEndpoint(kind, idName),
    handle: async ({ app, found: { key }, access: { accountUuid } }) =>
      (await deleteEndpoint(app, accountUuid, key)).outcome === 'deleted' ? DONE : notFound(),
  })
}

/** Without this, a misspelt name would be left out in silence. The page's forms carry names of their own. */
function requireKnownNames(body: Record<string, unknown>, formOf: EndpointFamily['formOf'], fields: object): void {
  const known = ['accountUUID', ...Object.keys(fields)]
  const isKnown = (name: string) => Object.keys(formOf({ [name]: body[name] })).some((one) => known.includes(one))
  const keys = Object.keys(body).filter((name) => !isKnown(name))
  if (keys.length > 0) throw invalid([{ code: 'unrecognized_keys', keys, path: [], message: '' }])
}

const NOT_CONNECTED = 'Nobody is signed in, or the account is not connected.'

function refusal(refused: Refused): Response {
  return refused.outcome === 'invalid'
    ? badInput(refused.message, refused.errors)
    : problem(REFUSED_STATUS[refused.outcome], refused.message)
}

// Defines a JSON call: who may call it, its input and its answer. It drives enforcement
// (app/http/calls/define-call.server.ts), the OpenAPI document, the page, docs/api.md and the permission matrix.
import { z } from 'zod'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * session: a browser signed in to the account · admin: the same, for an account in ADMIN_ACCOUNTS, with the flag · key:
 * anyone who knows the key in the address · anyone: no proof.
 */
export type Who = 'session' | 'admin' | 'key' | 'anyone'

/** The kind of thing that a path id refers to. */
export type Named =
  | 'account'
  | 'webhook'
  | 'rule'
  | 'delivery'
  | 'automation'
  | 'mute'
  | 'answer'
  | 'template'
  | 'notice'
  | 'replay'
  | 'session'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  schema: z.ZodType
  required: boolean
  description: string
  /** A required parameter that names an `account`: refused unless the session may act for that account. */
  names?: Named
  /** Used in the command that shows the call. */
  example?: string
}

/** What a field's schema cannot express: a refinement is a function, which JSON Schema does not have. */
export interface FieldLimits {
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
  pattern?: string
  format?: string
  enum?: readonly (string | number | null)[]
  /** The call is refused without it, although the schema accepts its absence to give its own message. */
  required?: true
}

export type FieldNote = string | ({ description: string } & FieldLimits)

export interface Body {
  /** The schema that the call, or its use case, parses with. */
  schema: z.ZodType
  /** The use case parses the body to give its own messages: the call passes on any object. */
  raw?: true
  /** The field that names the account: the call is refused unless the session may act for it. */
  account?: string
  /** Missing = 100 KB. */
  maxBytes?: number
  /** By name; nested fields of lists and objects use dots: `conditions.field`. */
  fields: Readonly<Record<string, FieldNote>>
  example: Readonly<Record<string, unknown>>
}

export interface Success {
  status: 200 | 201 | 202
  says: string
  schema: z.ZodType
  example: unknown
  headers?: Readonly<Record<string, string>>
}

/** An answer whose example is checked against its schema. */
export function answered<S extends z.ZodType>(
  status: Success['status'],
  says: string,
  schema: S,
  example: z.output<S>,
): Success {
  return { status, says, schema, example }
}

export type RefusedStatus = 400 | 401 | 402 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503

/** Counted per account, per caller address, or per target of the call. */
export interface Limit {
  perMinute: number
  per: 'account' | 'address' | 'automation'
}

export interface Operation {
  /** Its name in the document and in anchors: `createWebhook`. */
  id: string
  method: Method
  /** `api/webhooks/:key`; of two that match an address, the more specific wins. */
  path: string
  tag: string
  /** One sentence about the call, without a full stop. */
  summary: string
  /** Paragraphs; text in backticks is code. */
  description?: readonly string[]
  who: Who
  parameters?: readonly Parameter[]
  body?: Body
  answers: readonly Success[]
  /** Refusals beyond those that follow from `who`, parameters and body; null = never, although it would follow. */
  refusals?: Readonly<Partial<Record<RefusedStatus, string | null>>>
  /** Extra body of a refusal beyond `message` and `errors`. */
  refusalSchemas?: Readonly<Partial<Record<RefusedStatus, z.ZodType>>>
  limit?: Limit
}

interface TagText {
  name: string
  says: string
}

/** The source of the reference: the calls of one family, or all of them. */
export interface Reference<O extends Operation = Operation> {
  tags: readonly TagText[]
  operations: readonly O[]
  /** Schemas with their own name in the document. */
  schemas: Readonly<Record<string, z.ZodType>>
}

/** `5 a minute and account`. */
export function limitText({ perMinute, per }: Limit): string {
  return `${perMinute} a minute and ${per}`
}

// ---- shared by many calls ----

export const moment = z.iso.datetime().describe('ISO 8601, UTC.')
export const id = z.int().positive()
export const success = z.object({ success: z.literal(true) })
export const DONE: z.output<typeof success> = { success: true }

export const DEMO_ACCOUNT = '4f9d1c52-0b7e-4c1a-9a35-6d2f8e7b1c04'
export const DEMO_JOB = '9a1b7c3e-52d4-4f0b-8e61-3c7d2a9f5b18'

const account = { schema: z.string(), required: true, names: 'account', example: DEMO_ACCOUNT } as const
const said = 'The account: its uuid, or the id its address carried.'

export const accountOfQuery = {
  ...account,
  name: 'accountUUID',
  in: 'query',
  description: `${said} \`accountuuid\` is read as well.`,
} as const satisfies Parameter

export const accountOfPath = {
  ...account,
  name: 'accountUUID',
  in: 'path',
  description: said,
} as const satisfies Parameter

export function ofPath(name: string, schema: z.ZodType, description: string, example: string): Parameter {
  return { name, in: 'path', schema, required: true, description, example }
}

export function idOfPath(names: Named, description: string, name = 'id', example = '7'): Parameter {
  return { ...ofPath(name, id, description, example), names }
}

export function ofQuery(name: string, schema: z.ZodType, description: string): Parameter {
  return { name, in: 'query', schema, required: false, description }
}

export const deleted = { status: 200, says: 'It is gone.', schema: success, example: DONE } as const

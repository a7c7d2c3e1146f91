// What a JSON call is: one entry says who may call it, what it takes and what it answers. From it come how it is enforced
// (app/http/calls/define-call.server.ts), the OpenAPI document, the page, docs/api.md and its row in the matrix of rights.
import { z } from 'zod'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * session: a browser that signed in to the account · admin: the same, of an account in ADMIN_ACCOUNTS, with the flag ·
 * key: whoever knows the key in the address · anyone: no proof.
 */
export type Who = 'session' | 'admin' | 'key' | 'anyone'

/** What the id in a path is the id of. */
export type Named =
  | 'account'
  | 'webhook'
  | 'rule'
  | 'delivery'
  | 'automation'
  | 'mute'
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
  /** `account`, where it is required: the call is refused unless the session may act for that account. */
  names?: Named
  /** In the command that shows the call. */
  example?: string
}

/** What the schema of a field cannot say by itself: a refinement is a function, and JSON Schema has none. */
interface FieldLimits {
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
  pattern?: string
  format?: string
  enum?: readonly (string | number | null)[]
  /** Refused without it, although the schema reads its absence to say so in its own words. */
  required?: true
}

export type FieldNote = string | ({ description: string } & FieldLimits)

export interface Body {
  /** The schema that the call, or the use case behind it, parses with. */
  schema: z.ZodType
  /** The use case parses, because it answers in its own words: the call hands on any object. */
  raw?: true
  /** The field that names the account: the call is refused unless the session may act for it. */
  account?: string
  /** By name; below lists and objects with dots: `conditions.field`. */
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

export type RefusedStatus = 400 | 401 | 402 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503

/** Counted for each account, address of a caller, or thing that the call is about. */
export interface Limit {
  perMinute: number
  per: 'account' | 'address' | 'automation'
}

export interface Operation {
  /** Names it in the document and in anchors: `createWebhook`. */
  id: string
  method: Method
  /** `api/webhooks/:key`; of two that fit an address, the one that names more of it counts. */
  path: string
  tag: string
  /** What it does, in one sentence without a full stop. */
  summary: string
  /** Paragraphs; `words` in backticks are code. */
  description?: readonly string[]
  who: Who
  parameters?: readonly Parameter[]
  body?: Body
  answers: readonly Success[]
  /** Besides those that follow from who may call it, its parameters and its body; null = this one never, though it would follow. */
  refusals?: Readonly<Partial<Record<RefusedStatus, string | null>>>
  /** A body that a refusal carries beyond `message` and `errors`. */
  refusalSchemas?: Readonly<Partial<Record<RefusedStatus, z.ZodType>>>
  limit?: Limit
}

interface TagText {
  name: string
  says: string
}

/** What the reference is made of: the calls of one family, or all of them. */
export interface Reference<O extends Operation = Operation> {
  tags: readonly TagText[]
  operations: readonly O[]
  /** Schemas that have a name of their own in the document. */
  schemas: Readonly<Record<string, z.ZodType>>
}

/** `5 a minute and account`. */
export function limitText({ perMinute, per }: Limit): string {
  return `${perMinute} a minute and ${per}`
}

// ---- what many calls share ----

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

export function idOfPath(names: Named, description: string, name = 'id', example = '7'): Parameter {
  return { name, in: 'path', schema: id, required: true, description, names, example }
}

export function ofQuery(name: string, schema: z.ZodType, description: string): Parameter {
  return { name, in: 'query', schema, required: false, description }
}

export const deleted = { status: 200, says: 'It is gone.', schema: success, example: DONE } as const

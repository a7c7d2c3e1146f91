// What the reference of the calls is made of: one entry per call, with the very schemas that the routes parse with. From it come the
// OpenAPI document, the page and docs/api.md; a test compares it with the routes and with what they really answer.
import { z } from 'zod'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * session: a browser that signed in to the account · admin: the same, of an account in ADMIN_ACCOUNTS, with the flag ·
 * key: whoever knows the key in the address · anyone: no proof.
 */
export type Who = 'session' | 'admin' | 'key' | 'anyone'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  schema: z.ZodType
  required: boolean
  description: string
}

/** What the schema of a field cannot say by itself: a refinement is a function, and JSON Schema has none. */
export interface FieldLimits {
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
  /** The schema that the route, or the use case behind it, parses with. */
  schema: z.ZodType
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

export interface Operation {
  /** Names it in the document and in anchors: `createWebhook`. */
  id: string
  method: Method
  /** As in app/routes/table.ts: `api/webhooks/:key`. */
  route: string
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
  /** `5 a minute and account`. */
  limit?: string
}

export interface TagText {
  name: string
  says: string
}

/** One feature's calls. */
export interface ReferencePart {
  tags: readonly TagText[]
  operations: readonly Operation[]
  /** Schemas that have a name of their own in the document. */
  schemas: Readonly<Record<string, z.ZodType>>
}

// ---- what many calls share ----

export const moment = z.iso.datetime().describe('ISO 8601, UTC.')
export const id = z.int().positive()
export const success = z.object({ success: z.literal(true) })

export const DEMO_ACCOUNT = '4f9d1c52-0b7e-4c1a-9a35-6d2f8e7b1c04'
export const DEMO_JOB = '9a1b7c3e-52d4-4f0b-8e61-3c7d2a9f5b18'

export const accountOfQuery: Parameter = {
  name: 'accountUUID',
  in: 'query',
  schema: z.string(),
  required: true,
  description: 'The account: its uuid, or the id its address carried. `accountuuid` is read as well.',
}

export const accountOfPath: Parameter = {
  name: 'accountUUID',
  in: 'path',
  schema: z.string(),
  required: true,
  description: 'The account: its uuid, or the id its address carried.',
}

export function idOfPath(description: string, name = 'id'): Parameter {
  return { name, in: 'path', schema: id, required: true, description }
}

export function ofQuery(name: string, schema: z.ZodType, description: string): Parameter {
  return { name, in: 'query', schema, required: false, description }
}

export const deleted: Success = { status: 200, says: 'It is gone.', schema: success, example: { success: true } }

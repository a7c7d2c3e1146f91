// Defines an endpoint (a webhook or an extra address): its forms, its object type, and the fields it needs from the
// platform.
import { z } from 'zod'
import { parseFields, reportable } from '#app/domain/endpoints/watched-fields.ts'
import { findObjectKind, isPlausibleObjectType, normalizeObjectType, objectLabel } from '#app/domain/object-catalog.ts'
import { flag, WANTED } from '#app/domain/wanted.ts'
import { withScheme } from '#app/lib/url.ts'

export const LONGEST_URL = 2048
export const MOST_FIELDS = 100

export const HTTPS_URL = 'Must be a valid HTTPS URL'
const OBJECT_REQUIRED = 'Object type is required'
/** Marks the issue of a form without an object. */
export const OBJECT_MISSING = { missing: 'object' }
export const OBJECT_UNRESOLVED = 'Please specify an object type'
const ACCOUNT_REQUIRED = 'Account UUID is required'
export const NO_CREDENTIALS = 'No authentication credentials found'
export const LONGEST_RULE_NAME = 100
const RULE_NAME_REQUIRED = 'Rule name is required'
const RULE_NAME_TOO_LONG = `A rule name has at most ${LONGEST_RULE_NAME} characters.`
export const OBJECT_IS_FIXED = 'The object of a rule cannot be changed. Add another address for the other object.'

/** Whether the text is empty (forward nothing) or a web address. The outbound guard decides which may be called. */
function isWebAddress(text: string): boolean {
  if (text === '') return true
  if (/[\s\\]/.test(text)) return false
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.hostname !== ''
}

/** Parses a webhook id from a URL or a form; null when it cannot be an id. */
export function parseWebhookId(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}

/** Explains why a field list is invalid; null when it is valid. Unknown names pass: accounts have custom fields. */
export function refuseFields(fields: readonly string[]): string | null {
  if (fields.length > MOST_FIELDS)
    return `At most ${MOST_FIELDS} fields can be chosen. Leave the list empty to watch all fields.`
  const odd = fields.find((field) => !/^[a-z0-9_]{1,64}$/.test(field))
  if (odd === undefined) return null
  return `“${odd.slice(0, 40)}” is not a field name. Field names have letters, digits and _, separated by commas.`
}

/** A text field: trimmed, '' when missing. */
const text = z
  .string(WANTED.text)
  .nullish()
  .transform((value) => (value ?? '').trim())

/** A text field that cannot be empty; `missing` = what to say without one. */
const needed = (missing: string) =>
  z.string({ error: ({ input }) => (input === undefined || input === null ? missing : WANTED.text) }).trim()

const isShortEnough = (url: string) => url.length <= LONGEST_URL
const tooLong = { error: `At most ${LONGEST_URL.toLocaleString('en')} characters`, abort: true }

const callbackUrl = text.transform(withScheme).refine(isShortEnough, tooLong).refine(isWebAddress, HTTPS_URL)

/** Field names as text or list; [] when missing. */
const fieldList = z
  .union([z.string(), z.array(z.string())], 'Must be text or a list of texts')
  .nullish()
  .transform((value) => parseFields(value ?? ''))
  .superRefine((fields, context) => {
    const message = refuseFields(fields)
    if (message) context.addIssue({ code: 'custom', message })
  })

/** Creates a webhook: one schema for the page's form and the call's body. Field names are the documented ones. */
export const webhookForm = z
  .object({
    /** '' = store and show events, forward nothing. */
    callback_url: callbackUrl,
    object: text,
    /** Empty for all fields. */
    fields: fieldList,
    customObject: text,
    useCustom: flag,
    active: flag,
    accountUUID: text.refine((value) => value !== '', ACCOUNT_REQUIRED),
  })
  .superRefine((form, context) => {
    if (form.object === '' && !(form.useCustom && form.customObject !== '')) {
      context.addIssue({ code: 'custom', path: ['object'], message: OBJECT_REQUIRED, params: OBJECT_MISSING })
    }
  })

type WebhookForm = z.output<typeof webhookForm>

/** Changes a webhook: only the named fields change. */
export const webhookChange = z.object({
  callback_url: callbackUrl.optional(),
  fields: fieldList.optional(),
  active: flag.optional(),
})

/** Collapsed to one line. */
const name = needed(RULE_NAME_REQUIRED)
  .transform((value) => value.replace(/\s+/g, ' '))
  .refine((value) => value !== '', RULE_NAME_REQUIRED)
  .refine((value) => value.length <= LONGEST_RULE_NAME, RULE_NAME_TOO_LONG)

// An extra address consists of nothing but its URL, so an empty one is invalid.
const forwardUrl = needed(HTTPS_URL)
  .transform(withScheme)
  .refine(isShortEnough, tooLong)
  .refine((value) => value !== '' && isWebAddress(value), HTTPS_URL)

/** Adds an extra address: one schema for the page's form and the call's body. Field names are the entity's. */
export const forwardingRuleForm = z
  .object({
    name,
    objectType: text,
    forwardUrl,
    /** Empty for every event of the object. */
    fieldFilters: fieldList,
    customObject: text,
    useCustom: flag,
    active: flag,
    accountUUID: text.refine((value) => value !== '', ACCOUNT_REQUIRED),
  })
  .superRefine((form, context) => {
    if (form.objectType === '' && !(form.useCustom && form.customObject !== '')) {
      context.addIssue({ code: 'custom', path: ['objectType'], message: OBJECT_REQUIRED, params: OBJECT_MISSING })
    }
  })

/** Changes an extra address: only the named fields change. The object may be named, but cannot change. */
export const forwardingRuleChange = z.object({
  name: name.optional(),
  forwardUrl: forwardUrl.optional(),
  fieldFilters: fieldList.optional(),
  active: flag.optional(),
  objectType: needed(OBJECT_IS_FIXED).optional(),
})

/** Parses the forms of both kinds to the same fields. Issues use the form's field names. */
export const ENDPOINT_FORMS = {
  webhook: webhookForm.transform(({ callback_url: url, ...form }) => ({ ...form, name: '', url })),
  extra: forwardingRuleForm.transform(({ forwardUrl: url, objectType: object, fieldFilters: fields, ...form }) => ({
    ...form,
    url,
    object,
    fields,
  })),
}

interface EndpointChange {
  name?: string | undefined
  object?: string | undefined
  url?: string | undefined
  fields?: string[] | undefined
  active?: boolean | undefined
}

/** The same for changes; fields that are not named are undefined. */
export const ENDPOINT_CHANGES = {
  webhook: webhookChange.transform(({ callback_url: url, ...change }): EndpointChange => ({ ...change, url })),
  extra: forwardingRuleChange.transform(
    ({ forwardUrl: url, objectType: object, fieldFilters: fields, ...change }): EndpointChange => ({
      ...change,
      url,
      object,
      fields,
    }),
  ),
}

/**
 * Maps a call's body to the form's fields. Also accepts the other spellings of a webhook's own answer, and treats a
 * custom type in the body as chosen.
 */
export function webhookBody(body: Record<string, unknown>): Record<string, unknown> {
  const { callbackUrl, objectType, ...rest } = body
  return {
    ...(callbackUrl !== undefined && { callback_url: callbackUrl }),
    ...(objectType !== undefined && { object: objectType }),
    ...(rest.customObject ? { useCustom: true } : {}),
    ...rest,
  }
}

/** Errors by field, as every answer returns them. */
export type FieldErrors = Record<string, string[]>

/** Groups the issues of a refused form by field name. */
export const fieldErrorsOf = (error: z.ZodError): FieldErrors => z.flattenError(error).fieldErrors

export type ResolvedObject =
  | { outcome: 'resolved'; type: string }
  /** No object was chosen. */
  | { outcome: 'missing'; message: string }
  /** The type is not one of the 11, and the user lacks the role. */
  | { outcome: 'needs_admin'; message: string }
  /** No object can have this name. */
  | { outcome: 'unsupported'; field: 'object' | 'customObject'; message: string }

/**
 * Resolves the object type of the form: the typed one in admin mode with the toggle on, otherwise the chosen one.
 * Normalizes a custom type like any other spelling.
 */
export function resolveObjectType(
  form: Pick<WebhookForm, 'object' | 'customObject' | 'useCustom'>,
  admin: boolean,
): ResolvedObject {
  const custom = admin && form.useCustom === true && form.customObject !== ''
  const field = custom ? 'customObject' : 'object'
  const type = normalizeObjectType(custom ? form.customObject : form.object)
  if (type === '') return { outcome: 'missing', message: OBJECT_UNRESOLVED }
  if (!findObjectKind(type)) {
    if (!admin)
      return { outcome: 'needs_admin', message: `“${type.slice(0, 64)}” is not one of the supported object types.` }
    if (!isPlausibleObjectType(type)) {
      return {
        outcome: 'unsupported',
        field,
        message: `“${type.slice(0, 64)}” cannot be an object type. Names have letters and digits, like jobactivity.`,
      }
    }
  }
  return { outcome: 'resolved', type }
}

/**
 * Returns the fields an endpoint forwards on; '' for every event. When the platform reports none of the chosen fields
 * for this object (a contact's fields chosen on a company), forwards every event instead of none, ever.
 */
export function forwardingFilter(objectType: string, fields: readonly string[]): string {
  return reportable(objectType, fields) === null ? '' : fields.join(',')
}

/** Warns about chosen fields the platform does not report; null if none. `watched` = what the platform accepted. */
export function unwatchedSentence(
  objectType: string,
  fields: readonly string[],
  watched: readonly string[],
): string | null {
  const left = fields.filter((field) => !watched.includes(field))
  if (left.length === 0 || watched.length === 0) return null
  const list = left.slice(0, 5).join(', ') + (left.length > 5 ? ` and ${left.length - 5} more` : '')
  const sentence = `ServiceM8 does not report ${list} for ${objectLabel(objectType)}`
  if (left.length < fields.length) return `${sentence}.`
  return forwardingFilter(objectType, fields) === ''
    ? `${sentence}, so every change is forwarded.`
    : `${sentence}, so nothing will arrive. Choose other fields.`
}

/** Warns about chosen fields that the platform does not report, and says what follows. Null when all is well. */
export function filterWarning(objectType: string, fields: readonly string[]): string | null {
  return unwatchedSentence(objectType, fields, findObjectKind(objectType)?.watchFields ?? [])
}

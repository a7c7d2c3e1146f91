// The platform's catalogue: objects with fields and scopes, event names, scope names. Facts are in `objects.json`.
import facts from './objects.json'

export type Method = 'list' | 'get' | 'create' | 'update' | 'delete'

export interface FieldFact {
  name: string
  type: string
  format?: string
  /** Computed by the platform: ignored in requests. */
  readonly?: boolean
  /** The unset value is null instead of ''. */
  nullable?: boolean
  enum?: readonly string[]
  maxLength?: number
}

export interface ObjectFact {
  /** Lower-case name in paths and subscriptions. */
  key: string
  label: string
  /** A second name in the single-record path (`dbonote`). */
  itemAlias?: string
  methods: readonly Method[]
  scopes: { read?: string; create?: string; update?: string; delete?: string }
  required?: readonly string[]
  /** Accepts subscriptions. */
  webhook?: boolean
  fields: readonly FieldFact[]
}

export const OBJECTS = facts.objects as readonly ObjectFact[]
export const EVENTS: readonly string[] = facts.events
export const SCOPES: ReadonlySet<string> = new Set(facts.scopes)

const byKey = new Map(OBJECTS.map((object) => [object.key, object]))
const byItemName = new Map(OBJECTS.flatMap((o) => (o.itemAlias ? [[o.itemAlias, o] as const] : [])))
const fieldsByObject = new Map(OBJECTS.map((o) => [o.key, new Map(o.fields.map((field) => [field.name, field]))]))

/** Finds an object by its name in a path, case-insensitive; null when the platform has no such object. */
export function findObject(name: string): ObjectFact | null {
  return byKey.get(name.toLowerCase()) ?? null
}

/** An object of the catalogue by its key. Throws for a misspelled key. */
export function objectOf(key: string): ObjectFact {
  const object = findObject(key)
  if (!object) throw new Error(`the catalogue has no ${key}`)
  return object
}

/** Like `findObject`, but also accepts the second name that single-record paths of notes and attachments have. */
export function findObjectOfItem(name: string): ObjectFact | null {
  return findObject(name) ?? byItemName.get(name.toLowerCase()) ?? null
}

/**
 * Finds an object by its name in a subscription, ignoring case and underscores (`Job_Activity`), also `undocumented`.
 */
export function findWebhookObject(name: string, undocumented: readonly string[] = []): ObjectFact | null {
  const object = findObject(name.replaceAll('_', ''))
  return object && (object.webhook || undocumented.includes(object.key)) ? object : null
}

export function fieldsOf(objectKey: string): ReadonlyMap<string, FieldFact> {
  return fieldsByObject.get(objectKey) ?? new Map()
}

/** The read scope for an event's subject: the 403 of a subscription names it. */
export function scopeOfEvent(event: string): string | undefined {
  const subject = event.slice(0, event.indexOf('.'))
  const object = { inbox: 'inboxmessage', proposal: 'job', form: 'form' }[subject] ?? subject
  return byKey.get(object)?.scopes.read
}

// The exact shape of the platform's posts.
import type { AccountOptions } from '../world.ts'
import type { ObjectFact } from './catalog.ts'

export interface Packed {
  contentType: string
  body: string
}

/** Object kind: names of changed fields, never values. `time` is local to the account. Unsigned. */
export function objectNotice(
  object: ObjectFact,
  change: { uuid: string; changed: readonly string[]; time: string; resourceUrl: string },
  spelling: AccountOptions['objectSpelling'],
): Record<string, unknown> {
  return {
    object: spelled(object, spelling),
    entry: [{ uuid: change.uuid, changed_fields: [...change.changed], time: change.time }],
    resource_url: change.resourceUrl,
  }
}

function spelled(object: ObjectFact, spelling: AccountOptions['objectSpelling']): string {
  if (spelling === 'upper') return object.key.toUpperCase()
  return spelling === 'title' ? object.label.replaceAll(' ', '') : object.key
}

/** The documents contradict each other on JSON or form: JSON by default, or a form whose key or value is the JSON. */
export function pack(notice: Record<string, unknown>, wrapping: AccountOptions['deliveryWrapping']): Packed {
  const json = JSON.stringify(notice)
  const form = 'application/x-www-form-urlencoded'
  switch (wrapping) {
    case 'json':
      return { contentType: 'application/json', body: json }
    case 'form_key':
      return { contentType: form, body: `${encodeURIComponent(json)}=` }
    case 'form_value':
      return { contentType: form, body: `payload=${encodeURIComponent(json)}` }
  }
}

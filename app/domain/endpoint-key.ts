// Identifies one of an account's endpoints: a webhook, or an extra address for an object's events.

export type EndpointKind = 'webhook' | 'extra'

/** An endpoint by its kind and its id within the kind. */
export interface EndpointRef {
  kind: EndpointKind
  id: number
}

/** An endpoint's public key: a webhook's id, or `rule-3` for the extra address 3. Same text in forms and addresses. */
export type EndpointKey = number | `rule-${number}`

export function keyOf({ kind, id }: EndpointRef): EndpointKey {
  return kind === 'webhook' ? id : `rule-${id}`
}

export function refOf(key: EndpointKey): EndpointRef {
  return typeof key === 'number'
    ? { kind: 'webhook', id: key }
    : { kind: 'extra', id: Number(key.slice('rule-'.length)) }
}

/** Reads a key from a form or an address; null for an invalid one. */
export function parseEndpointKey(text: string): EndpointKey | null {
  const [, extra, id] = /^(rule-)?([1-9]\d{0,14})$/.exec(text) ?? []
  return id === undefined ? null : keyOf({ kind: extra === undefined ? 'webhook' : 'extra', id: Number(id) })
}

/** Plans have no limit on addresses. This limit keeps a runaway program from filling the installation. */
export const MOST_ENDPOINTS = 1_000

export function noRoomForEndpoints(most: number): string {
  return `This installation stops at ${most.toLocaleString('en')} addresses for one account. Delete one you no longer need, or ask its operator for more.`
}

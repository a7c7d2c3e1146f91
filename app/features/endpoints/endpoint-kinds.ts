// The wording that differs between the kinds of endpoint.
import { type EndpointKey, type EndpointKind, refOf } from '#app/domain/endpoint-key.ts'

/** The noun that sentences use for an endpoint. */
export type Thing = 'webhook' | 'rule'

/** The texts for each kind of endpoint. */
export const KIND_TEXTS = {
  webhook: {
    thing: 'webhook',
    created: 'Webhook created successfully!',
    updated: 'Webhook fields updated successfully!',
    deleted: 'Webhook deleted successfully!',
    createFailed: 'Failed to create webhook',
    updateFailed: 'Failed to update webhook',
    deleteFailed: 'Failed to delete webhook',
    restored: 'Webhook restored',
    restoreFailed: 'Failed to restore webhook',
  },
  extra: {
    thing: 'rule',
    created: 'Forwarding rule created successfully!',
    updated: 'Forwarding rule updated successfully!',
    deleted: 'Forwarding rule deleted successfully!',
    createFailed: 'Failed to create forwarding rule',
    updateFailed: 'Failed to update forwarding rule',
    deleteFailed: 'Failed to delete forwarding rule',
    restored: 'Forwarding rule restored',
    restoreFailed: 'Failed to restore forwarding rule',
  },
} as const satisfies Record<EndpointKind, { thing: Thing } & Record<string, string>>

/** Returns the kind of a key. An unreadable key counts as a webhook's. */
export function kindOf(key: EndpointKey | null): EndpointKind {
  return key === null ? 'webhook' : refOf(key).kind
}

/** The names of the same fields in the forms and calls of each kind. */
export const WIRE_NAMES = {
  webhook: { url: 'callback_url', object: 'object', fields: 'fields' },
  extra: { url: 'forwardUrl', object: 'objectType', fields: 'fieldFilters' },
} as const satisfies Record<EndpointKind, { url: string; object: string; fields: string }>

// The one shape in which calls answer a webhook.
import type { WebhookStatus, WebhookView } from '../webhook-view.ts'

export interface WebhookJson {
  id: number
  objectType: string
  callbackUrl: string
  /** Comma-separated; empty = all. */
  fields: string
  active: boolean
  servicem8Id: string | null
  accountUUID: string
  createdAt: string
  /** Our address that the platform posts to; null where it posts nothing and we look ourselves. */
  forwardingUrl: string | null
  status: WebhookStatus
  statusMessage: string
  pending: number
  /** Only when something about the address deserves attention. */
  warning?: string
}

export function webhookJson(
  details: { view: WebhookView; accountUuid: string; servicem8Id: string | null },
  warning: string | null = null,
): WebhookJson {
  const { view } = details
  return {
    id: view.id,
    objectType: view.objectType,
    callbackUrl: view.callbackUrl,
    fields: view.fields.join(','),
    active: view.active,
    servicem8Id: details.servicem8Id,
    accountUUID: details.accountUuid,
    createdAt: new Date(view.createdAt).toISOString(),
    forwardingUrl: view.polling === null ? view.forwardingUrl : null,
    status: view.status,
    statusMessage: view.statusMessage,
    pending: view.pending,
    ...(warning !== null && { warning }),
  }
}

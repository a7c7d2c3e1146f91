// The shapes in which calls answer a webhook and a forwarding rule.
import { refOf } from '#app/domain/endpoint-key.ts'
import type { EndpointDetails, EndpointView, WebhookStatus } from '../endpoint-view.ts'

interface EndpointJson {
  id: number
  accountUUID: string
  objectType: string
  active: boolean
  createdAt: string
  status: WebhookStatus
  statusMessage: string
  pending: number
  /** Only when something about the address or the filter deserves attention. */
  warning?: string
}

export interface WebhookJson extends EndpointJson {
  callbackUrl: string
  /** Comma-separated; empty = all. */
  fields: string
  servicem8Id: string | null
  /** Our address that the platform posts to; null where it posts nothing and we look ourselves. */
  forwardingUrl: string | null
}

export interface ForwardingRuleJson extends EndpointJson {
  name: string
  forwardUrl: string
  /** Comma-separated; empty = all. */
  fieldFilters: string
}

type Answered = Pick<EndpointDetails, 'accountUuid' | 'servicem8Id'> & { view: EndpointView }

export function webhookJson(details: Answered, warning: string | null = null): WebhookJson {
  const { view, servicem8Id } = details
  return {
    ...common(details, warning),
    callbackUrl: view.callbackUrl,
    fields: view.fields.join(','),
    servicem8Id,
    forwardingUrl: view.polling === null ? view.forwardingUrl : null,
  }
}

export function forwardingRuleJson(
  details: Omit<Answered, 'servicem8Id'>,
  warning: string | null = null,
): ForwardingRuleJson {
  const { view } = details
  return {
    ...common(details, warning),
    name: view.name ?? '',
    forwardUrl: view.callbackUrl,
    fieldFilters: view.fields.join(','),
  }
}

function common({ view, accountUuid }: Omit<Answered, 'servicem8Id'>, warning: string | null): EndpointJson {
  const { objectType, active, status, statusMessage, pending } = view
  return {
    id: refOf(view.id).id,
    accountUUID: accountUuid,
    objectType,
    active,
    createdAt: new Date(view.createdAt).toISOString(),
    status,
    statusMessage,
    pending,
    ...(warning !== null && { warning }),
  }
}

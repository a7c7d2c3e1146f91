// The JSON that calls return for a webhook and for a forwarding rule.
import type { z } from 'zod'
import { refOf } from '#app/domain/endpoint-key.ts'
import type { EndpointDetails, EndpointView } from '../endpoint-view.ts'
import type { ruleAnswer, webhookAnswer } from './api-answers.ts'

type Answered = Pick<EndpointDetails, 'accountUuid' | 'servicem8Id'> & { view: EndpointView }

export function webhookJson(details: Answered, warning: string | null = null): z.output<typeof webhookAnswer> {
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
): z.output<typeof ruleAnswer> {
  const { view } = details
  return {
    ...common(details, warning),
    name: view.name ?? '',
    forwardUrl: view.callbackUrl,
    fieldFilters: view.fields.join(','),
  }
}

function common({ view, accountUuid }: Omit<Answered, 'servicem8Id'>, warning: string | null) {
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

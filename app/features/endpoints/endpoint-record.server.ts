// An address with everything known about it, whoever it belongs to: what can be done to one can be done to the other.

import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, ruleIdOf } from '#app/domain/endpoint-key.ts'
import { parseFields } from '#app/domain/endpoints/watched-fields.ts'
import type { EndpointFacts } from '#db/store/webhooks.ts'

export interface EndpointRecord extends EndpointFacts {
  key: EndpointKey
  objectType: string
  /** As chosen; empty = all. */
  fields: string[]
}

/** Null = no such webhook or rule of this account. */
export async function findEndpointRecord(
  app: Pick<App, 'store'>,
  accountUuid: string,
  key: EndpointKey,
): Promise<EndpointRecord | null> {
  if (typeof key === 'number') {
    const record = await app.store.findWebhook(accountUuid, key)
    if (!record) return null
    const { webhook, ...facts } = record
    return { ...facts, key, objectType: webhook.objectType, fields: parseFields(webhook.fields) }
  }
  const record = await app.store.findForwardingRule(accountUuid, ruleIdOf(key))
  if (!record) return null
  const { rule, ...facts } = record
  return { ...facts, key, objectType: rule.objectType, fields: parseFields(facts.endpoint.fieldFilter) }
}

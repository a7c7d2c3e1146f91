// What saving needs to know about an account besides the rule: its country, webhooks, custom fields and time. A run's
// plan uses the same facts, so both checks agree.
import type { App } from '#app/context/app-context.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { OBJECT_TYPES } from '#app/domain/object-catalog.ts'
import type { EndpointRecord } from '#db/store/endpoints.ts'
import { findNotifyUrl, refusedAddresses } from '../actions/notification-address.server.ts'
import type { JudgedAt } from '../records/facts.ts'
import { findField, KNOWN_OBJECTS } from '../records/fields.ts'
import { needsCountry } from './checks/literal-check.ts'
import type { RulePlace } from './checks/rule-check.ts'
import { objectOfRule } from './conditions/conditions.ts'

type PlaceApp = Pick<App, 'store' | 'clock' | 'settings' | 'outbound' | 'planning'>

/** Asks ServiceM8 only for what the rule requires; a missing answer does not prevent saving. */
export async function rulePlace(app: PlaceApp, accountUuid: string, definition: RuleDefinition): Promise<RulePlace> {
  const webhooks = await app.store.endpoints.listEndpoints(accountUuid, 'webhook')
  const ownFields = await fieldsOutside(app, accountUuid, definition, webhooks)
  return {
    country: await countryOf(app, accountUuid, definition),
    refusedAddresses: await refusedAddresses(app, definition),
    notifyUrl: await findNotifyUrl(app, accountUuid, definition),
    feed: (app.settings.feedPath ?? '') !== '',
    watchable: [...new Set([...KNOWN_OBJECTS, ...OBJECT_TYPES, ...webhooks.map(({ objectType }) => objectType)])],
    ...(ownFields && { ownFields }),
    ...(await judgedAt(app, accountUuid)),
  }
}

/** The current time, with the account's zone. */
export async function judgedAt(app: Pick<App, 'store' | 'clock'>, accountUuid: string): Promise<JudgedAt> {
  return { now: app.clock.now(), zone: (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC' }
}

async function countryOf(app: PlaceApp, accountUuid: string, definition: RuleDefinition): Promise<string | null> {
  if (!needsCountry(definition)) return null
  const answer = await app.planning.facts.profile(accountUuid)
  return answer.outcome === 'ok' ? answer.profile.country : null
}

/**
 * The account's custom fields, from its webhooks or from one record; read only when the rule names a field that the
 * catalogue does not know. Null = ServiceM8 did not answer.
 */
async function fieldsOutside(
  app: PlaceApp,
  accountUuid: string,
  { trigger, once }: RuleDefinition,
  webhooks: readonly EndpointRecord[],
): Promise<string[] | null> {
  const object = objectOfRule({ trigger })
  const ofTrigger = trigger.source === 'webhook' ? trigger.fieldName : null
  const ofOnce = once.startsWith('value:') ? once.slice('value:'.length) : null
  const unknown = [ofTrigger, ofOnce].filter((name) => name !== null && findField(object, name) === null)
  if (unknown.length === 0) return []
  const named = webhooks.flatMap(({ objectType, fields }) => (objectType === object ? parseFields(fields) : []))
  if (unknown.every((name) => name !== null && named.includes(name.toLowerCase()))) return named
  const answer = await app.planning.facts.reader(accountUuid).list(object, { limit: 1 })
  if (answer.outcome !== 'ok') return null
  return [...named, ...answer.value.flatMap((record) => Object.keys(record)).map((name) => name.toLowerCase())]
}

// What saving knows of an account beside the rule itself: its country, its webhooks, its own fields, its clock. As the plan of a run
// knows it, so that both judge alike.
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

/** ServiceM8 is asked only for what the rule makes necessary; no answer stops nobody. */
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

/** Now, in the account's zone. */
export async function judgedAt(app: Pick<App, 'store' | 'clock'>, accountUuid: string): Promise<JudgedAt> {
  return { now: app.clock.now(), zone: (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC' }
}

async function countryOf(app: PlaceApp, accountUuid: string, definition: RuleDefinition): Promise<string | null> {
  if (!needsCountry(definition)) return null
  const answer = await app.planning.facts.profile(accountUuid)
  return answer.outcome === 'ok' ? answer.profile.country : null
}

/**
 * Fields of the account's own that its webhooks name, or that a record of it carries; looked for only when the rule names one that
 * the catalogue does not know. Null = ServiceM8 did not say.
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

// Adding, changing and deleting forwarding rules: like webhooks, the platform is asked first where it has to be, and
// everything of ours is stored in one transaction after it agreed.

import type { App } from '#app/context/app-context.ts'
import { parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { normalizeObjectType } from '#app/domain/object-catalog.ts'
import { newSecret } from './controls/rotate-secret.server.ts'
import {
  checkAddress,
  FINE,
  invalid,
  needsWith,
  type Refused,
  refuseOneMore,
  settleAfterDeletion,
  subscriptionForChange,
  subscriptionForNew,
} from './endpoint-changes.server.ts'
import { filterWarning, forwardingRuleChange, forwardingRuleForm, OBJECT_IS_FIXED } from './forwarding-rule.ts'
import { oneAtATime } from './subscriptions/one-at-a-time.server.ts'
import { neededObjects, settleSubscriptions } from './subscriptions/repair-subscriptions.server.ts'
import { fieldErrorsOf, forwardingFilter, resolveObjectType } from './webhook.ts'
import { describeRule, type RuleDetails, secretPlace } from './webhook-details.server.ts'
import type { WebhookApp } from './webhooks.server.ts'

/** `warning` = accepted, but something about the address or the filter deserves attention. */
export type CreateRuleOutcome = { outcome: 'created'; rule: RuleDetails; warning: string | null } | Refused

export type UpdateRuleOutcome =
  | { outcome: 'updated'; rule: RuleDetails; warning: string | null }
  | { outcome: 'not_found' }
  | Refused

/**
 * Adds one. `raw` = the fields of `forwardingRuleForm`, unread. The account is the caller's proof; `raw.accountUUID` was
 * resolved to it before and only has to be there.
 */
export async function createForwardingRule(
  app: WebhookApp,
  accountUuid: string,
  raw: Record<string, unknown>,
  role: { admin: boolean },
): Promise<CreateRuleOutcome> {
  const parsed = forwardingRuleForm.safeParse(raw)
  if (!parsed.success) return invalid(fieldErrorsOf(parsed.error))
  const form = parsed.data
  const object = resolveObjectType({ ...form, object: form.objectType }, role.admin)
  if (object.outcome === 'missing') return invalid({ objectType: [object.message] })
  if (object.outcome === 'needs_admin') return { outcome: 'forbidden', message: object.message }
  if (object.outcome === 'unsupported') {
    return invalid({ [object.field === 'object' ? 'objectType' : object.field]: [object.message] })
  }
  const address = await checkAddress(app, form.forwardUrl)
  if (address.outcome === 'refused') return invalid({ forwardUrl: [address.message] })
  const fieldFilter = forwardingFilter(object.type, form.fieldFilters)

  return oneAtATime(app.store, accountUuid, async () => {
    const full = await refuseOneMore(app, accountUuid)
    if (full) return full
    const needs = await needsWith(app, accountUuid, object.type, null, { fields: parseFields(fieldFilter) })
    const prepared = await subscriptionForNew(app, accountUuid, object.type, needs)
    if (prepared.outcome !== 'ready' && prepared.outcome !== 'as_it_is') return prepared
    const subscription = prepared.outcome === 'ready' ? prepared.subscription : null
    const saved = await app.store.saveForwardingRule(accountUuid, {
      name: form.name,
      objectType: object.type,
      url: form.forwardUrl,
      fieldFilter,
      active: form.active ?? true,
      secretSealed: app.secrets.seal(secretPlace(accountUuid), newSecret()),
      subscription,
      at: app.clock.now(),
    })
    if (subscription) await settleSubscriptions(app, accountUuid)
    app.wakeDeliveries(saved.endpointId)
    app.log.info({ account: accountUuid, rule: saved.id, object: object.type }, 'forwarding_rule.created')
    const rule = await getForwardingRule(app, accountUuid, saved.id)
    return { outcome: 'created', rule, warning: joined(address.warning, filterWarning(object.type, form.fieldFilters)) }
  })
}

/** Changes what is named in `raw` (`name`, `forwardUrl`, `fieldFilters`, `active`); another account's id is not found. */
export async function updateForwardingRule(
  app: WebhookApp,
  accountUuid: string,
  id: number,
  raw: Record<string, unknown>,
): Promise<UpdateRuleOutcome> {
  const known = await app.store.findForwardingRule(accountUuid, id)
  if (!known) return { outcome: 'not_found' }
  const parsed = forwardingRuleChange.safeParse(raw)
  if (!parsed.success) return invalid(fieldErrorsOf(parsed.error))
  const { objectType: named, name, forwardUrl, fieldFilters, active } = parsed.data
  const { objectType } = known.rule
  // What already waits is of the old object: changing it would mix the two.
  if (named !== undefined && normalizeObjectType(named) !== objectType)
    return invalid({ objectType: [OBJECT_IS_FIXED] })
  const address = forwardUrl === undefined ? FINE : await checkAddress(app, forwardUrl)
  if (address.outcome === 'refused') return invalid({ forwardUrl: [address.message] })
  const fieldFilter = fieldFilters && forwardingFilter(objectType, fieldFilters)
  const fields = fieldFilter === undefined ? undefined : parseFields(fieldFilter)

  return oneAtATime(app.store, accountUuid, async () => {
    const before = await app.store.findForwardingRule(accountUuid, id)
    if (!before) return { outcome: 'not_found' }
    const chosen = parseFields(before.endpoint.fieldFilter)
    const needs = await needsWith(app, accountUuid, objectType, chosen, { fields: fields ?? chosen })
    const change = { fields, active }
    const watching = { accountUuid, objectType, subscription: before.subscription, needs, change }
    const prepared = await subscriptionForChange(app, watching)
    if (prepared.outcome !== 'ready' && prepared.outcome !== 'as_it_is') return prepared
    const subscription = prepared.outcome === 'ready' ? prepared.subscription : null
    const saved = await app.store.updateForwardingRule(accountUuid, id, {
      ...(name !== undefined && { name }),
      ...(fieldFilter !== undefined && { fieldFilter }),
      ...(forwardUrl !== undefined && { url: forwardUrl }),
      ...(active !== undefined && { active }),
      subscription,
      at: app.clock.now(),
    })
    if (!saved) return { outcome: 'not_found' }
    if (subscription) await settleSubscriptions(app, accountUuid)
    app.wakeDeliveries(saved.endpointId)
    app.log.info({ account: accountUuid, rule: id }, 'forwarding_rule.updated')
    const rule = await getForwardingRule(app, accountUuid, id)
    return { outcome: 'updated', rule, warning: joined(address.warning, filterWarning(objectType, fieldFilters ?? [])) }
  })
}

/**
 * Deletes it here at once, whatever state the platform is in: what waits ends as "stopped". The platform is told only when
 * nobody else needs the object.
 */
export async function deleteForwardingRule(
  app: WebhookApp,
  accountUuid: string,
  id: number,
): Promise<{ outcome: 'deleted' } | { outcome: 'not_found' }> {
  return oneAtATime(app.store, accountUuid, async () => {
    const before = await app.store.findForwardingRule(accountUuid, id)
    if (!before) return { outcome: 'not_found' }
    const needs = (await neededObjects(app, accountUuid)).get(before.rule.objectType) ?? []
    const deleted = await app.store.deleteForwardingRule(accountUuid, id, {
      reason: 'The forwarding rule was deleted.',
      // This rule is one of those that need the object; its webhook, other rules and automations may be others.
      endSubscriptions: needs.length <= 1,
      at: app.clock.now(),
    })
    if (!deleted) return { outcome: 'not_found' }
    app.wakeDeliveries(deleted.endpointId)
    app.log.info({ account: accountUuid, rule: id, object: deleted.objectType }, 'forwarding_rule.deleted')
    await settleAfterDeletion(app, accountUuid, deleted)
    return { outcome: 'deleted' }
  })
}

type DescribeApp = Pick<App, 'store' | 'secrets' | 'settings' | 'clock'>

/** Oldest first. */
export async function listForwardingRules(app: DescribeApp, accountUuid: string): Promise<RuleDetails[]> {
  const timezone = await timezoneOf(app, accountUuid)
  const records = await app.store.listForwardingRules(accountUuid)
  return records.map((record) => describeRule(app, record, timezone))
}

async function getForwardingRule(app: DescribeApp, accountUuid: string, id: number): Promise<RuleDetails> {
  const record = await app.store.findForwardingRule(accountUuid, id)
  if (!record) throw new Error(`forwarding rule ${id} is gone right after it was stored`)
  return describeRule(app, record, await timezoneOf(app, accountUuid))
}

async function timezoneOf(app: Pick<App, 'store'>, accountUuid: string): Promise<string> {
  return (await app.store.findAccount(accountUuid))?.timezone ?? 'UTC'
}

function joined(...sentences: (string | null)[]): string | null {
  const said = sentences.filter((sentence) => sentence !== null)
  return said.length === 0 ? null : said.join(' ')
}

// Customers by name, where conditions and records hold their ids: the list of all customers is too long to read for a few.
import type { Condition } from '#app/domain/automations/rule.ts'
import type { NamesOf } from '#app/domain/record-name.ts'
import type { KnownNames } from '../rules/conditions/condition-text.ts'
import { isRecordUuid } from '../settings/automation-settings.ts'

/** `names`, with those of `held` and of customers in the conditions. A few are read at once: in this order. */
export async function withCustomers(
  namesOf: NamesOf,
  accountUuid: string,
  names: KnownNames,
  conditions: readonly Pick<Condition, 'field' | 'value'>[],
  held: readonly unknown[],
): Promise<KnownNames> {
  const wanted = conditions.filter(({ field }) => field === 'company_uuid').map(({ value }) => value.trim())
  const ids = new Set([...held, ...wanted].filter((id) => typeof id === 'string' && isRecordUuid(id)) as string[])
  const asked = [...ids].filter((id) => !Object.hasOwn(names, id)).map((id) => ({ object: 'company', recordUuid: id }))
  if (asked.length === 0) return names
  const found = [...(await namesOf(accountUuid, asked))].filter(([, { who }]) => who !== '')
  return { ...names, ...Object.fromEntries(found.map(([uuid, { who }]) => [uuid, who])) }
}

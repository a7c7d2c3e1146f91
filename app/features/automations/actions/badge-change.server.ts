// Badges of a job, added, removed or replaced by name. The platform knows only the whole list (facts: section 5), so the others are
// written along as they are.
import type { AccountCallResult } from '#app/adapters/platform.ts'
import { isActive, type Values, valuesOf } from '../records/fact-rows.ts'
import { folded, isUuid, readList } from '../records/field-value.ts'
import type { ReadOnlyPlatform } from './action.server.ts'
import { shorten } from './failure-words.ts'

type BadgeChange = 'add' | 'remove' | 'replace'

type ChangedBadges =
  | { outcome: 'changed'; value: string }
  | { outcome: 'unknown'; sentence: string }
  | { outcome: 'failed'; trouble: Exclude<AccountCallResult<never>, { outcome: 'ok' }> }

/** How the rule's step says it: nothing said = the whole list, as rules had it before badges could be added. */
export function readBadgeChange(text: string): BadgeChange {
  return text === 'add' || text === 'remove' ? text : 'replace'
}

/**
 * The field's new value. `wanted`: names or ids, separated by commas, or a JSON list. `before`: the field as the job has it. A change
 * that changes nothing answers `before` itself.
 */
export async function changedBadges(
  read: ReadOnlyPlatform,
  how: BadgeChange,
  wanted: string,
  before: string,
): Promise<ChangedBadges> {
  const words = readList(wanted)
    .map((word) => word.trim())
    .filter((word) => word !== '')
  if (words.length === 0) {
    if (how === 'replace') return { outcome: 'changed', value: '' }
    return { outcome: 'unknown', sentence: 'No badge was chosen. Open the automation and choose one.' }
  }
  const named = words.some((word) => !isUuid(word)) ? await read.list('badge') : null
  if (named && named.outcome !== 'ok') return { outcome: 'failed', trouble: named }
  const badges: Values[] = named ? named.value.map(valuesOf) : []
  const ids: string[] = []
  for (const word of words) {
    const uuid = isUuid(word) ? word.toLowerCase() : badgeNamed(badges, word, how)
    if (uuid === null) {
      const sentence = `There is no badge called "${shorten(word, 60)}" in ServiceM8. Open the automation and choose one.`
      return { outcome: 'unknown', sentence }
    }
    ids.push(uuid)
  }
  return { outcome: 'changed', value: written(how, ids, before) }
}

function badgeNamed(badges: readonly Values[], name: string, how: BadgeChange): string | null {
  const same = badges.filter((badge) => folded(badge.name ?? '') === folded(name))
  // A deleted badge can still be taken off a job, never put on one.
  const found = same.find(isActive) ?? (how === 'remove' ? same[0] : undefined)
  return found?.uuid?.toLowerCase() ?? null
}

function written(how: BadgeChange, ids: readonly string[], before: string): string {
  const held = readList(before).map((badge) => badge.toLowerCase())
  const after =
    how === 'replace'
      ? [...new Set(ids)]
      : how === 'add'
        ? [...new Set([...held, ...ids])]
        : held.filter((badge) => !ids.includes(badge))
  const isSame = after.length === held.length && after.every((badge, index) => badge === held[index])
  return isSame ? before : JSON.stringify(after)
}

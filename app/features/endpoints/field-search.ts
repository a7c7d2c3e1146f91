// Finds out which fields the platform accepts. The platform publishes no lists and refuses a list with one unknown
// name, usually without saying which, so a refused list is tried in parts. Pure: the caller passes in the answers.

export interface FieldSearch {
  /** The fields the platform accepted so far. Each try repeats them, because a subscription holds one list. */
  accepted: readonly string[]
  /** Groups still to try, the next one first. */
  open: readonly (readonly string[])[]
  /** Number of tries left. */
  left: number
  /** True while the search is at the first group, which is the whole list. */
  whole: boolean
}

/** Each try is a subscribe call with a challenge; finding one bad name among 45 takes 12 or 13. */
export const MOST_TRIES = 16

export function startSearch(fields: readonly string[]): FieldSearch {
  return { accepted: [], open: [fields], left: MOST_TRIES, whole: true }
}

/** Returns the next list to ask for; null when the search is over and `accepted` is the result. */
export function nextTry(search: FieldSearch): string[] | null {
  const group = search.open[0]
  if (!group || search.left === 0) return null
  return [...search.accepted, ...group].sort()
}

export function afterAccepted(search: FieldSearch): FieldSearch {
  const [group = [], ...open] = search.open
  return { accepted: [...search.accepted, ...group], open, left: search.left - 1, whole: false }
}

/**
 * Handles "not a valid field": drops the field the platform named, if any; otherwise tries the safest fields first,
 * then the user's own, then the rest. Halves a refused group until one name is left, and drops that name.
 */
export function afterRefused(
  search: FieldSearch,
  input: { message: string; chosen: readonly string[]; doubtful: (field: string) => boolean },
): FieldSearch {
  const [group = [], ...rest] = search.open
  const named = namedField(input.message, group)
  const parts = named
    ? [group.filter((field) => field !== named)]
    : search.whole
      ? bySureness(group, input)
      : halves(group)
  const open = [...parts.filter((part) => part.length > 0), ...rest]
  return { accepted: search.accepted, open, left: search.left - 1, whole: false }
}

function bySureness(
  group: readonly string[],
  { chosen, doubtful }: { chosen: readonly string[]; doubtful: (field: string) => boolean },
): (readonly string[])[] {
  const sure = group.filter((field) => !doubtful(field))
  const requested = group.filter((field) => doubtful(field) && chosen.includes(field))
  const rest = group.filter((field) => doubtful(field) && !chosen.includes(field))
  const parts = [sure, requested, rest].filter((part) => part.length > 0)
  return parts.length > 1 ? parts : halves(group)
}

function halves(group: readonly string[]): (readonly string[])[] {
  if (group.length <= 1) return []
  const middle = Math.ceil(group.length / 2)
  return [group.slice(0, middle), group.slice(middle)]
}

/** Seen on the platform: `"" is not a valid field for subscription`, usually with nothing between the quotes. */
export function isFieldRefusal(message: string): boolean {
  return /not a valid field/i.test(message)
}

/** Matches `Object Potato does not support subscription`. */
export function isObjectRefusal(message: string): boolean {
  return /does not support subscription/i.test(message)
}

function namedField(message: string, group: readonly string[]): string | null {
  const named = /["'“]([a-z0-9_]+)["'”] is not a valid field/i.exec(message)?.[1]?.toLowerCase()
  return named !== undefined && group.includes(named) ? named : null
}

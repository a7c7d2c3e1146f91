// Which account a page shows when its address names none: the ones this browser remembers, in the order they are tried.
import { readAccountId } from '#app/domain/account-id.ts'

/** Ids a browser keeps for us. They only select: what is shown is always an account that its session has proved. */
export interface Remembered {
  /** The account preferred in this browser session: the one opened last. */
  preferred: string | null
  /** The external id opened last, however long ago. */
  last: string | null
}

export const NOTHING_REMEMBERED: Remembered = { preferred: null, last: null }

/**
 * The ids to try. One with an excluded prefix (of whatever case) is never loaded by itself: the operator uses such ids for
 * try-outs, and nobody should find themselves in one of those without having asked for it.
 */
export function idsToTry({ preferred, last }: Remembered, excludedPrefixes: readonly string[]): string[] {
  const ids = [preferred, last].map(readAccountId).filter((id) => id !== null)
  return [...new Set(ids)].filter((id) => !isExcluded(id, excludedPrefixes))
}

function isExcluded(id: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => id.toLowerCase().startsWith(prefix.toLowerCase()))
}

// Picks the account of a page whose URL names none: the ids this browser remembers, in the order to try.
import { readAccountId } from '#app/domain/account-id.ts'

/** Ids stored in the browser. They only select: a page always shows an account that the session has proved. */
export interface Remembered {
  /** The account to prefer in this browser session: the last one opened. */
  preferred: string | null
  /** The last external id opened, however long ago. */
  last: string | null
}

export const NOTHING_REMEMBERED: Remembered = { preferred: null, last: null }

/**
 * Returns the ids to try. Ids with an excluded prefix (in any case) are never opened automatically: the operator uses
 * them for tests, and nobody should land in one without asking for it.
 */
export function idsToTry({ preferred, last }: Remembered, excludedPrefixes: readonly string[]): string[] {
  const ids = [preferred, last].map(readAccountId).filter((id) => id !== null)
  return [...new Set(ids)].filter((id) => !isExcluded(id, excludedPrefixes))
}

function isExcluded(id: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => id.toLowerCase().startsWith(prefix.toLowerCase()))
}

// Suggests the known name for a misspelt one.

/** The nearest of the names, if it is near enough; null = none is. */
export function nearestOf(written: string, names: readonly string[]): string | null {
  const asked = spelt(written)
  const most = Math.max(1, Math.floor(asked.length / 4))
  let best: { name: string; distance: number } | null = null
  for (const name of names) {
    const known = spelt(name)
    // Every letter of difference in length is at least one edit.
    if (Math.abs(known.length - asked.length) > most) continue
    const distance = editDistance(asked, known)
    if (best === null || distance < best.distance) best = { name, distance }
  }
  return best === null || best.distance > most ? null : best.name
}

function spelt(name: string): string {
  return name.toLowerCase().replace(/[\s.]+/g, '_')
}

/** The number of letters to add, drop or change to turn one into the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Finds the nearest of the names; null = none is near, or the limit of searches is reached. */
export type Suggest = (written: string, names: () => readonly string[]) => string | null

/** Comparing with every known name costs more than all other checks of a text together. */
const MOST_SUGGESTIONS = 5

/** Suggests for the first five different names only; share one per rule. A repeated name is not searched again. */
export function createSuggestions(most: number = MOST_SUGGESTIONS): Suggest {
  const known = new Map<string, string | null>()
  return (written, names) => {
    const before = known.get(written)
    if (before !== undefined || known.size >= most) return before ?? null
    const nearest = nearestOf(written, names())
    known.set(written, nearest)
    return nearest
  }
}

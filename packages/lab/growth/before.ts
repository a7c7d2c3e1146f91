// Known slow code of the past, as short as possible: the trials must find each case, otherwise they prove nothing.
import type { Entrance } from './trials.ts'

const KB = 1024

/** Names with about the length and number that a rule offers. */
const KNOWN = Array.from({ length: 150 }, (_, n) => `contact_name_${n}`)

export const SLOW_BEFORE: readonly Entrance[] = [
  {
    name: 'placeholders: for each that is not known, wherever it stands, the nearest of all names',
    limit: 80 * KB,
    prepare: (text) => () =>
      [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => KNOWN.map((known) => lettersBetween(name, known))),
  },
  {
    name: 'forms: the keys that are there are counted for each that comes',
    // At two thirds of this, an eighth of it is shorter than the tick of some clocks.
    limit: 12 * KB,
    prepare: (text) => () => {
      const list: Record<string, string> = {}
      for (const [key, value] of new URLSearchParams(text)) {
        if (key.endsWith('[]')) list[`${key}${Object.keys(list).length}`] = value
      }
      return list
    },
  },
  {
    name: 'e-mail texts: tags are taken out by a pattern that looks for the end of each',
    limit: 24 * KB,
    prepare: (text) => () => text.replace(/<[^>]*>/g, ''),
  },
]

/** Edit distance: letters to add, drop or change to get from one to the other. */
function lettersBetween(a: string, b: string): number {
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

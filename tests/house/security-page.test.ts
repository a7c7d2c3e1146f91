// docs/security.md answers every requirement of levels 1 and 2 of ASVS 5.0.0, and names none that does not exist.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import asvs from '../data/asvs-5.0.0.json' with { type: 'json' }

const page = readFileSync('docs/security.md', 'utf8')
const standard = page.slice(page.indexOf('## 2. '), page.indexOf('## 3. '))
const levels = [asvs.level1, asvs.level2, asvs.level3].map((ids) => ids.split(' '))

/** Of rows the first cell, of other lines all of it; `2.1.1–2.1.3` is three. */
function idsOn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const cell = line.startsWith('|') ? (line.split('|')[1] ?? '') : line
    return [...cell.matchAll(/(\d+\.\d+)\.(\d+)(?:–\1\.(\d+))?/g)].flatMap(([, section, from, to]) =>
      Array.from({ length: Number(to ?? from) - Number(from) + 1 }, (_, i) => `${section}.${Number(from) + i}`),
    )
  })
}

test('every requirement of the two levels is answered, or said not to occur', () => {
  const named = new Set(idsOn(standard))
  expect(levels.map((ids) => ids.length)).toEqual([70, 183, 92])
  expect(levels.slice(0, 2).flatMap((ids) => ids.filter((id) => !named.has(id)))).toEqual([])
})

test('no requirement is named that the standard does not have', () => {
  const known = new Set(levels.flat())
  const versions = new Set(['5.0.0'])
  expect(idsOn(standard).filter((id) => !known.has(id) && !versions.has(id))).toEqual([])
})

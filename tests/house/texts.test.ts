// docs/texts has one page with all the texts of a feature. `TEXTS=write` in front of this test's command makes them again.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { textPages } from '#tests/support/texts-table.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'docs/texts')
const pages = textPages(ROOT)

if (process.env.TEXTS === 'write') {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER)
  for (const [feature, text] of pages) writeFileSync(join(FOLDER, `${feature}.md`), text)
}

test('every feature with a screen has a page, and no other has one', () => {
  expect(readdirSync(FOLDER).sort()).toEqual([...pages.keys()].map((feature) => `${feature}.md`).sort())
})

test.each([...pages])('the texts of %s are those of the sources', (feature, text) => {
  expect(readFileSync(join(FOLDER, `${feature}.md`), 'utf8'), 'a text changed: TEXTS=write makes the page again').toBe(
    text,
  )
})

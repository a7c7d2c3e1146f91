// A promise is a sentence with a test. This reads docs/promises.md, the places where the sentences stand, and the tests it names.
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isPromising, pagePromises } from '#tests/support/page-promises.ts'

interface Promised {
  sentence: string
  tests: { file: string; title: string }[]
}

const PAGE = readFileSync('docs/promises.md', 'utf8')

/** The cells of the table below this heading. */
function cellsOf(heading: string): [first: string, second: string][] {
  const part = PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...part.matchAll(/^\| (.+?) \| (.+) \|$/gm)].slice(1).map(([, first = '', second = '']) => [first, second])
}

/** Several sentences may share a row. */
function rowsOf(heading: string): Promised[] {
  return cellsOf(heading).flatMap(([first, second]) => {
    const named = [...second.matchAll(/`([^`]+)`: "(.+?)"(?= · `|$)/g)]
    const tests = named.map(([, file = '', title = '']) => ({ file, title }))
    return first.split('<br>').map((sentence) => ({ sentence, tests }))
  })
}

const sentences = (rows: readonly Promised[]) => rows.map(({ sentence }) => sentence)
const pricing = rowsOf('The pricing card')
const trouble = rowsOf('Under load and in trouble')
const guide = rowsOf('The user guide')
const pages = rowsOf('The pages')
const all = [...pricing, ...trouble, ...guide, ...pages]

test('every promise names its test, and every test named is there, under that title', () => {
  expect(all.length).toBeGreaterThan(50)
  expect(all.filter(({ tests }) => tests.length === 0).map(({ sentence }) => sentence)).toEqual([])
  const source = (file: string) => readFileSync(file, 'utf8').replaceAll("\\'", "'")
  const lost = all
    .flatMap(({ tests }) => tests)
    .filter(
      ({ file, title }) => !existsSync(file) || !["'", '"', '`'].some((q) => source(file).includes(q + title + q)),
    )
  expect(lost).toEqual([])
})

test('every sentence of the pricing card is promised, and no other', () => {
  const card = readFileSync('app/features/billing/ui/subscription-page.tsx', 'utf8')
  const listed = card.split('const INCLUDED = [')[1]?.split(']')[0] ?? ''
  const included = [...listed.matchAll(/'([^']+)'/g)].map(([, sentence]) => sentence)
  expect(included.length).toBeGreaterThan(4)
  expect(card).toContain('>£5</span>')
  expect(card).toContain('per month, VAT included')
  expect(sentences(pricing)).toEqual(['£5 per month, VAT included', ...included])
})

test('every point of the user guide has a sentence here, and every sentence stands in it word for word', () => {
  const text = readFileSync('docs/user-guide.md', 'utf8')
  expect(sentences(guide).filter((sentence) => !text.includes(sentence))).toEqual([])
  const points = [...text.matchAll(/^- (.+)$/gm)].map(([, point]) => point ?? '')
  expect(points.length).toBeGreaterThan(25)
  expect(points.filter((point) => !sentences(guide).some((sentence) => point.includes(sentence)))).toEqual([])
})

test('every sentence of a page that names a time, an amount or a limit has its row, or a reason why it promises nothing', () => {
  const found = pagePromises('.')
  expect(found.length).toBeGreaterThan(150)
  const reasons = cellsOf('What promises nothing')
  const listed = [...sentences(pages), ...reasons.flatMap(([first]) => first.split('<br>'))]
  expect(found.filter((sentence) => !listed.includes(sentence))).toEqual([])
  expect(listed.filter((sentence) => !found.includes(sentence))).toEqual([])
  expect(listed.filter((sentence, index) => listed.indexOf(sentence) !== index)).toEqual([])
  // Every source file of the product is parsed.
})

test.each([
  ['What waits is kept and sent.', true],
  ['Tried again for up to 72 hours.', true],
  ['Refreshed every … seconds.', true],
  ['A customer is never texted twice.', true],
  ['It costs £5.', true],
  ['Free for ever.', true],
  ['The list of webhooks is up to date.', false],
  ['Choose what starts it.', false],
])('"%s" promises something: %s', (sentence, promises) => {
  expect(isPromising(sentence)).toBe(promises)
})

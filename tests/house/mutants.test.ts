// What `npm run mutate` plants, and which tests it asks.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { applyMutant, mutantsOf, sampleOf } from '../../scripts/mutants.mjs'
import { namesNothing, takeApart } from '../../scripts/mutation-equal.mjs'
import { importersOf, importingCopy, testsOf, withSuffix } from '../../scripts/mutation-tests.mjs'

const allOf = (text: string) => mutantsOf(text).map((mutant) => `${mutant.kind}: ${applyMutant(text, mutant)}`)

test.each([
  ['if (a) b()', ['statement: if (a) ;', 'condition: if (true) b()', 'condition: if (false) b()']],
  ['const x = a ? b : c', ['condition: const x = true ? b : c', 'condition: const x = false ? b : c']],
  ['const x = a < b', ['bound: const x = a <= b']],
  ['const x = a >= b', ['bound: const x = a > b']],
  ['const x = a === b', ['operator: const x = a !== b']],
  ['const x = a && b', ['operator: const x = a || b']],
  ['const x = a ?? b', ['operator: const x = a && b']],
  ['const x = a - b', ['operator: const x = a + b']],
  ["const x = 'a' + b", ["string: const x = '' + b"]],
  ['const x = !a', ['negation: const x = (a)']],
  ['const x = true', ['boolean: const x = false']],
  ['const x = 1_000', ['number: const x = 1001']],
  ['const x = 0xff', ['number: const x = (0xff ^ 1)']],
  ["const x = ''", ["string: const x = 'mutated'"]],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template.
  ['const x = `a${b}`', ['string: const x = ``']],
  ['const x = /^a$/i', ['pattern: const x = /a$/i', 'pattern: const x = /^a/i']],
  ['const x = /^/', []],
  ['const x = [a]', ['array: const x = []']],
  ['const x = []', []],
  ['[a] = b', ['statement: ;']],
  ['const x = { a: b }', ['object: const x = {}']],
  ['const x = () => ({ a })', ['object: const x = () => ({})']],
  ['const x = await a', ['await: const x = (a)']],
  ['const x = a.startsWith(b)', ['method: const x = a.endsWith(b)']],
  ["throw new WrongError('a', 1)", ['throw: ;', "number: throw new WrongError('a', 2)"]],
])('the mutants of %s', (text, mutants) => {
  expect(allOf(text).sort()).toEqual([...mutants].sort())
})

test.each([
  "import a from 'a'",
  "export * from 'a'",
  "type A = 'a' | 1",
  "interface A { a: 'b' }",
  "const x: 'a' | null = b",
  "log.info({ a: 1 }, 'said')",
  "app.log.warn({ a: 1 }, 'said')",
])('nothing is planted in %s', (text) => {
  expect(allOf(text)).toEqual([])
})

test('a mutant says where it is', () => {
  expect(mutantsOf('const a = b\nconst c = d < e')).toEqual([
    { line: 2, kind: 'bound', from: '<', to: '<=', start: 24, end: 25 },
  ])
})

test('a sample is spread over the whole, and never more than it', () => {
  const ten = Array.from({ length: 10 }, (_, i) => i)
  expect(sampleOf(ten, 2)).toEqual([2, 7])
  expect(sampleOf(ten, 10)).toEqual(ten)
  expect(sampleOf(ten, 99)).toEqual(ten)
})

test('tests are found through those that import the module, the ones of its name first, then those beside it; types do not count', () => {
  const root = mkdtempSync(join(tmpdir(), 'mutants-'))
  const files = {
    'app/guard.server.ts': '',
    'app/guard.test.ts': "import { b } from './other.ts'",
    'app/guard-lists.test.ts': "import { a } from './guard.server.ts'",
    'app/a.test.ts': "import { a } from './guard.server.ts'",
    'app/other.ts': "import { a } from './guard.server.ts'",
    'app/types.test.ts': "import type { a } from './guard.server.ts'",
    'db/near.test.ts': "import { a } from '#app/guard.server.ts'",
    'tests/house/x.ts': '',
    'tests/support/lazy.test.ts': "const a = await import('#app/other.ts')",
  }
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    expect(testsOf(importersOf(root), 'app/guard.server.ts')).toEqual([
      { file: 'app/guard.test.ts', distance: 2 },
      { file: 'app/guard-lists.test.ts', distance: 1 },
      { file: 'app/a.test.ts', distance: 1 },
      { file: 'db/near.test.ts', distance: 1 },
      { file: 'tests/support/lazy.test.ts', distance: 2 },
    ])
  } finally {
    rmSync(root, { recursive: true })
  }
})

test('mutants that cannot matter are counted apart, and one that is noticed after all, or is not there, is told', () => {
  const text = 'const a = b < c\nconst d = e < f\nconst g = 1'
  const mutants = mutantsOf(text)
  const [first, second, third] = mutants
  if (!first || !second || !third) throw new Error('there are three')
  const named = (line: string, kind = 'bound', from = '<', to = '<=') => ({
    module: 'm.ts',
    line,
    kind,
    from,
    to,
    why: 'so',
  })
  const equals = [
    named('const a = b < c'),
    named('const d = e < f'),
    named('const gone = 1'),
    { ...named('x'), module: 'n.ts' },
  ]
  const judged = { module: 'm.ts', text, mutants, survivors: [first, third] }
  expect(takeApart(equals, judged)).toEqual({
    survivors: [third],
    equal: [{ mutant: first, why: 'so' }],
    wrong: [equals[1]],
  })
  expect(namesNothing(equals, judged)).toEqual([equals[2]])
})

test('a copy of a test imports the copy of the module, and nothing else of it changes', () => {
  const copyOf = (text: string, test = 'app/http/guard.test.ts') =>
    importingCopy({ root: process.cwd(), test, text, module: 'app/http/guard.server.ts', suffix: '.m3' })
  expect(copyOf("import { a } from './guard.server.ts'\nimport b from './guard.ts'")).toBe(
    "import { a } from './guard.m3.server.ts'\nimport b from './guard.ts'",
  )
  expect(copyOf("await import('#app/http/guard.server.ts')", 'db/x.test.ts')).toBe(
    "await import('#app/http/guard.m3.server.ts')",
  )
  expect(copyOf("import b from './guard.ts'\nimport { c } from 'vitest'")).toBeNull()
})

test('a copy keeps the ending that says what a file may do', () => {
  expect(
    ['app/a.server.ts', 'app/a-b.ts', 'app/a.test.ts', 'app/a.test.tsx', '#app/a.b.server.ts'].map((file) =>
      withSuffix(file, '.m1'),
    ),
  ).toEqual(['app/a.m1.server.ts', 'app/a-b.m1.ts', 'app/a.m1.test.ts', 'app/a.m1.test.tsx', '#app/a.b.m1.server.ts'])
})

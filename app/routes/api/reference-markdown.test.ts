import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { referenceMarkdown } from '#app/features/reference/reference-markdown.ts'
import { untold } from '#tests/support/answers-told.ts'
import { REFERENCE } from './calls.server.ts'

test('docs/api.md is what `npm run docs:api` writes', () => {
  const introduction = readFileSync('docs/parts/api-introduction.md', 'utf8')
  const isUpToDate = readFileSync('docs/api.md', 'utf8') === referenceMarkdown(REFERENCE, introduction)
  expect(isUpToDate, 'docs/api.md is out of date: npm run docs:api').toBe(true)
})

test('the text has every call', () => {
  const text = referenceMarkdown(REFERENCE, '# The calls')
  for (const { id, summary } of REFERENCE.operations) expect(text).toContain(`<a id="${id}"></a>\n\n### ${summary}\n`)
})

test('an answer that the reference does not tell is noticed', () => {
  const call = { method: 'GET', route: 'api/accounts' }
  const answer = (status: number, body: unknown) => untold(call, { status, text: JSON.stringify(body) })
  expect(answer(200, [{ accountUUID: 'a', hasToken: true }])).toBeNull()
  expect(answer(500, { message: 'Something went wrong.' })).toBeNull()
  expect(answer(200, [{ accountUUID: 'a', hasToken: true, more: 1 }])).toContain('must NOT have additional properties')
  expect(answer(200, [{ accountUUID: 'a' }])).toContain("must have required property 'hasToken'")
  expect(answer(418, {})).toBe('GET api/accounts 418: no such status')
  expect(untold({ method: 'GET', route: 'account' }, { status: 200, text: '<html>' })).toBeNull()
})

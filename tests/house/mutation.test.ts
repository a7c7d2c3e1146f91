// What `npm run mutate` leaves alone, and that nothing else is left alone in silence.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import config, { MODULES, strykerPlugins } from '../../stryker.config.mjs'

const [plugin] = strykerPlugins
const reasonFor = plugin?.value.shouldIgnore as (path: unknown) => string | undefined

function pathTo(type: string, text: string, parent?: { type: string; callee: { name: string } }) {
  return { node: { type }, parent, toString: () => text }
}

test.each([
  ['ExpressionStatement', "log.warn({ id }, 'held')"],
  ['ExpressionStatement', "app.log.info({}, 'ended')"],
  ['StringLiteral', "'it has no key'", 'ConfigurationError'],
  ['TemplateLiteral', '`$' + '{name} is missing`', 'Error'],
])('no fault is planted in %s %s', (type, text, thrown?: string) => {
  const parent = thrown === undefined ? undefined : { type: 'NewExpression', callee: { name: thrown } }
  expect(reasonFor(pathTo(type, text, parent))).toBeTypeOf('string')
})

test.each([
  ['ExpressionStatement', 'store.forget(id)'],
  ['ExpressionStatement', 'catalog.info(id)'],
  ['StringLiteral', "'https:'"],
  ['StringLiteral', "'https:'", 'URL'],
  ['ConditionalExpression', 'a ? b : c', 'Error'],
])('faults are planted in %s %s', (type, text, made?: string) => {
  const parent = made === undefined ? undefined : { type: 'NewExpression', callee: { name: made } }
  expect(reasonFor(pathTo(type, text, parent))).toBeUndefined()
})

test('a fault that cannot matter is left out on its line, by its kind, with a reason, and only in the modules on the list', () => {
  const files = ['app', 'db', 'packages'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file).replaceAll('\\', '/'))
      .filter((file) => /\.tsx?$/.test(file)),
  )
  const marked = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('Stryker'))
      .map((line) => ({ file, line: line.trim() })),
  )
  expect(marked.length).toBeGreaterThan(0)
  for (const { file, line } of marked) {
    expect(line, file).toMatch(/^\/\/ Stryker disable next-line [A-Z]\w+(,[A-Z]\w+)*: .{20,}/)
    expect(Object.values(MODULES).flat()).toContain(file)
  }
})

test('the copy of the project is thrown away, and the project itself is never written to', () => {
  expect(config).toMatchObject({
    tempDirName: '.cache/mutation/copies',
    jsonReporter: { fileName: '.cache/mutation/report.json' },
  })
  expect(config).not.toHaveProperty('inPlace')
})

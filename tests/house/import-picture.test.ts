import { expect, test } from 'vitest'
import { drawPicture, graphOf, partOf, whatIsStale } from '../../scripts/import-picture.mjs'

const imports = (source: string, ...resolved: [file: string, type?: 'type-only'][]) => ({
  source,
  dependencies: resolved.map(([file, type]) => ({
    resolved: file,
    dependencyTypes: type ? ['local', type] : ['local'],
  })),
})
const USE_CASE = 'app/features/endpoints/webhooks.server.ts'
const MODULES = [
  imports('app/boot/boot.server.ts', [USE_CASE], ['db/store.ts', 'type-only']),
  imports('app/routes/pages/manager.tsx', [USE_CASE], [USE_CASE], ['app/features/endpoints/ui/card.tsx']),
  imports(USE_CASE, ['app/features/endpoints/webhook.ts'], ['db/store.ts', 'type-only'], ['app/lib/clock.ts']),
  imports('app/features/endpoints/webhook.test.ts', ['db/sql/store.server.ts']),
  imports('db/sql/store.server.ts', ['node_modules/drizzle-orm/index.js']),
]

test('every file of the product has one part, and tests have none', () => {
  expect(
    [
      'app/lib/clock.ts',
      'app/ui/button.tsx',
      'app/features/endpoints/ui/card.tsx',
      'app/features/endpoints/webhook.ts',
      USE_CASE,
      'app/context/app-context.ts',
      'app/root.tsx',
      'app/boot/jobs.server.ts',
      'db/store/accounts.ts',
      'db/schema.ts',
      'app/lib/clock.test.ts',
      'scripts/start.mjs',
    ].map(partOf),
  ).toEqual(['lib', 'pixels', 'pixels', 'decisions', 'use cases', 'App', 'routes', 'boot', 'store', 'db', null, null])
})

test('imports are counted by part, types beside code', () => {
  expect(graphOf(MODULES).edges).toContainEqual({ from: 'routes', to: 'use cases', values: 2, types: 0 })
  expect(graphOf(MODULES).edges).toContainEqual({ from: 'use cases', to: 'store', values: 0, types: 1 })
})

test('the same imports give the same picture, in whatever order they come', () => {
  expect(drawPicture(graphOf([...MODULES].reverse()))).toBe(drawPicture(graphOf(MODULES)))
})

test('a picture is stale when an arrow came, went, or changed its number a lot', () => {
  const picture = drawPicture(graphOf(MODULES))
  expect(whatIsStale(picture, graphOf(MODULES))).toEqual([])
  const more = imports('app/engine/pump.server.ts', ['app/features/endpoints/webhook.ts'])
  expect(whatIsStale(picture, graphOf([...MODULES, more]))).toEqual(['engine → decisions is not in the picture.'])
  expect(whatIsStale(picture, graphOf(MODULES.slice(1)))).toEqual([
    'boot → store is in the picture and no longer in the code.',
    'boot → use cases is in the picture and no longer in the code.',
  ])
  const routes = (count: number) =>
    Array.from({ length: count }, (_, index) => imports(`app/routes/api/call-${index}.ts`, [USE_CASE]))
  expect(whatIsStale(picture, graphOf([...MODULES, ...routes(10)]))).toEqual([])
  expect(whatIsStale(picture, graphOf([...MODULES, ...routes(11)]))).toEqual(['routes → use cases says 2 and is 13.'])
})

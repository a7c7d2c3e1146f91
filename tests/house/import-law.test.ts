import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readImports, type Violation } from '../../scripts/import-law.mjs'
import { plantTree } from './planted-tree.ts'

/** What stands in the planted repository before anything is wrong with it: every kind of file, importing what it may. */
const LAWFUL: Record<string, string> = {
  'app/lib/clock.ts': 'export type Millis = number\nexport const second = 1000\n',
  'app/lib/token.server.ts': "import 'node:crypto'\nimport { second } from './clock.ts'\nexport const token = second\n",
  'app/domain/object-catalog.ts':
    "import { z } from 'zod'\nimport { second } from '#app/lib/clock.ts'\nexport const objects = [z, second]\n",
  'app/contract/operation.ts':
    "import 'zod'\nimport { objects } from '#app/domain/object-catalog.ts'\nexport const operation = objects\n",
  'app/features/endpoints/webhook.ts':
    "import { z } from 'zod'\nimport { second } from '#app/lib/clock.ts'\nimport { objects } from '#app/domain/object-catalog.ts'\nimport '#app/contract/operation.ts'\nimport { due } from '../events/delivery.ts'\nexport const webhook = [z, second, due, objects]\n",
  'app/features/endpoints/webhooks.server.ts':
    "import type { App } from '#app/context/app-context.ts'\nimport type { Store } from '#db/store.ts'\nimport type { Outbound } from '#app/adapters/outbound.ts'\nimport { token } from '#app/lib/token.server.ts'\nimport { list } from './list.server.ts'\nexport type Needs = [App, Store, Outbound]\nexport const made = [token, list]\n",
  'app/features/endpoints/list.server.ts': "import { webhook } from './webhook.ts'\nexport const list = webhook\n",
  'app/features/endpoints/ui/card.tsx':
    "import 'react'\nimport { button } from '#app/ui/button.tsx'\nimport { webhook } from '../webhook.ts'\nimport './parts.tsx'\nexport const card = [button, webhook]\n",
  'app/features/endpoints/ui/parts.tsx': 'export const parts = 1\n',
  'app/features/endpoints/log/ui/rows.tsx': "import '../../ui/parts.tsx'\nexport const rows = 1\n",
  'app/features/events/delivery.ts': "import { Cron } from 'croner'\nexport const due = Cron\n",
  'app/features/events/deliver.server.ts': 'export const deliver = 1\n',
  'app/features/events/deliver.server.test.ts':
    "import 'vitest'\nimport { deliver } from './deliver.server.ts'\nimport { sqlite } from '#db/sql/store.server.ts'\nimport { testApp } from '#tests/support/test-app.ts'\nexport const seen = [deliver, sqlite, testApp]\n",
  'app/features/events/ui/log.tsx': 'export const log = 1\n',
  'app/ui/button.tsx': "import 'react'\nexport const button = 1\n",
  'app/adapters/outbound.ts': 'export interface Outbound { post: string }\n',
  'app/adapters/outbound.server.ts':
    "import 'undici'\nimport type { Outbound } from './outbound.ts'\nexport const outbound: Outbound = { post: '' }\n",
  'app/engine/pump.server.ts':
    "import type { Store } from '#db/store.ts'\nimport { second } from '#app/lib/clock.ts'\nexport const pump = (_: Store) => second\n",
  'packages/sandbox/sandbox.server.ts': "export { world } from './world.server.ts'\n",
  'packages/sandbox/world.server.ts':
    "import { objects } from '#app/domain/object-catalog.ts'\nimport 'better-sqlite3'\nexport const world = objects\n",
  'app/http/session.server.ts':
    "import type { App } from '#app/context/app-context.ts'\nimport '../features/endpoints/webhooks.server.ts'\nexport const session = (_: App) => 1\n",
  'app/routes/pages/manager.tsx':
    "import '#app/features/endpoints/webhooks.server.ts'\nimport '#app/features/endpoints/ui/card.tsx'\nimport '#app/http/session.server.ts'\nimport '@remix-run/node'\n",
  'app/root.tsx': "import './ui/button.tsx'\n",
  'app/routes.ts': "import table from './routes/table.ts'\nexport default table\n",
  'app/routes/table.ts': 'export default []\n',
  'app/routes/route-patterns.ts': "import routes from './table.ts'\nexport const patterns = routes\n",
  'app/context/app-context.ts':
    "import type { Store } from '#db/store.ts'\nimport type { Outbound } from '#app/adapters/outbound.ts'\nexport interface App { store: Store, outbound: Outbound }\n",
  'app/boot/env.server.ts': "import 'zod'\nexport const env = 1\n",
  'app/boot/logger.server.ts': "import type {} from './env.server.ts'\nimport 'pino'\nexport const logger = 1\n",
  'app/boot/boot.server.ts':
    "import './env.server.ts'\nimport './logger.server.ts'\nimport '#app/engine/pump.server.ts'\nimport '#app/adapters/outbound.server.ts'\nimport './jobs.server.ts'\nimport '#app/routes/route-patterns.ts'\nimport '#db/sql/store.server.ts'\n",
  'app/boot/connect.server.ts': "import '#sandbox/sandbox.server.ts'\n",
  'app/boot/jobs.server.ts': "import '#app/features/events/deliver.server.ts'\nexport const jobs = 1\n",
  'app/commands/doctor.server.ts': "import '#app/boot/env.server.ts'\nimport '#db/sql/store.server.ts'\n",
  'app/entry.server.tsx':
    "import './commands/doctor.server.ts'\nimport './ui/button.tsx'\nexport * from './boot/boot.server.ts'\n",
  'app/domain/deliveries/due.ts': 'export type Due = string\n',
  'db/store.ts': "import type { Due } from '#app/domain/deliveries/due.ts'\nexport interface Store { due: Due }\n",
  'db/sql/store.server.ts': "import 'drizzle-orm'\nimport '#app/lib/clock.ts'\nexport const sqlite = 1\n",
  'scripts/serve.js': "import 'express'\nimport '../build/server/index.js'\n",
  'packages/lab/crash/crash.ts':
    "import '#tests/support/test-app.ts'\nimport '#app/boot/boot.server.ts'\nimport 'fast-check'\nexport const crash = 1\n",
  'tests/support/test-app.ts': "import '#app/boot/boot.server.ts'\nexport const testApp = 1\n",
}

const LIB = 'lib is the floor: it imports nothing else of ours'
const PURE_LIB = 'a pure file of lib imports no .server file and no module of Node'
const DOMAIN = 'domain is the floor below the features: it imports pure lib, itself and zod'
const CONTRACT = 'contract says what a JSON call is: it imports domain, pure lib and zod'
const DECISION = 'a decision imports only decisions, domain, contract, lib, zod, croner and sanitize-html'
const USE_CASE = "a use case imports decisions, its own feature's use cases, and only types of Store, App and adapters"
const ORDER = 'a feature imports only features below it'
const DESIGN = 'the design system imports decisions, pure lib and itself'
const PIXELS = "pixels import decisions, app/ui and their own feature's pixels"
const DB = 'db imports lib, and of domain only types: it knows no feature'
const ADAPTERS = 'adapters import lib and adapters'
const PURE_ADAPTERS = 'a pure file of the adapters imports no .server file and no module of Node'
const ENGINE = 'the engine imports lib and the type of Store: it knows no feature'
const SANDBOX = 'the sandbox imports lib and the object catalogue: it has its own state'
const ROUTES = 'routes and root import features, http, ui and lib'
const HTTP = 'http imports features and lib: data comes through the App it is given'
const ENV = 'env and logger import lib'
const CONTEXT = 'app-context imports types, and knows no feature'
const TABLE = 'the table of routes names its modules as text; only its reader imports it'
const ENTRIES = 'the two entries hand over what boot and commands compose, and draw: they compose nothing themselves'
const SCRIPTS = 'scripts run the build: they import nothing of app, db or tests'
const WIRING = 'boot, jobs and other wiring are imported by wiring, tests, scripts and the lab'
const SHIPPED = 'what ships imports no test, no script and nothing of the lab'
const ENTRY = 'app and db know of the sandbox its one entry'
const UNIT =
  'a unit test imports its own part, lib, decisions, db, adapters and tests/support: what crosses parts is a walk'
const PACKAGE = 'this package is for other parts'
const NODE = 'this module of Node is for other parts'

/** The rule that must speak, the file that offends, what it says. Each is planted alone in its own file. */
const OFFENCES: [rule: string, file: string, text: string][] = [
  [LIB, 'app/lib/bad-1.ts', "import '#app/features/endpoints/webhook.ts'"],
  [LIB, 'app/lib/bad-2.server.ts', "import '#db/sql/store.server.ts'"],
  [`${LIB}, types included`, 'app/lib/bad-3.ts', "import type { Store } from '#db/store.ts'\nexport type S = Store"],
  [`${LIB}; ${PACKAGE}`, 'app/lib/bad-4.server.ts', "import 'express'"],
  [PURE_LIB, 'app/lib/bad-5.ts', "import './token.server.ts'"],
  [`${PURE_LIB}; ${NODE}`, 'app/lib/bad-6.ts', "import 'node:crypto'"],

  [DOMAIN, 'app/domain/bad-1.ts', "import '#app/features/endpoints/webhook.ts'"],
  [DOMAIN, 'app/domain/bad-2.ts', "import '#app/contract/operation.ts'"],
  [DOMAIN, 'app/domain/bad-3.server.ts', "import '#app/lib/token.server.ts'"],
  [
    `${DOMAIN}, types included`,
    'app/domain/bad-4.ts',
    "import type { Store } from '#db/store.ts'\nexport type S = Store",
  ],
  [`${DOMAIN}, and no other package`, 'app/domain/bad-5.ts', "import 'croner'"],
  [`${DOMAIN}; ${NODE}`, 'app/domain/bad-6.ts', "import 'node:crypto'"],
  [CONTRACT, 'app/contract/bad-1.ts', "import '#app/features/endpoints/webhook.ts'"],
  [CONTRACT, 'app/contract/bad-2.ts', "import '#app/http/session.server.ts'"],
  [
    `${CONTRACT}, types included`,
    'app/contract/bad-3.ts',
    "import type { App } from '#app/context/app-context.ts'\nexport type A = App",
  ],
  [`${CONTRACT}, and no other package`, 'app/contract/bad-4.ts', "import 'croner'"],
  [`${CONTRACT}; ${NODE}`, 'app/contract/bad-5.ts', "import 'node:fs'"],

  [DECISION, 'app/features/endpoints/bad-1.ts', "import './webhooks.server.ts'"],
  [DECISION, 'app/features/endpoints/bad-2.ts', "import '#db/sql/store.server.ts'"],
  [DECISION, 'app/features/endpoints/bad-3.ts', "import './ui/card.tsx'"],
  [DECISION, 'app/features/endpoints/log/bad-8.ts', "import './ui/rows.tsx'"],
  [
    `${DECISION}, types included`,
    'app/features/endpoints/bad-4.ts',
    "import type { Store } from '#db/store.ts'\nexport type S = Store",
  ],
  [`${DECISION}, and no other package`, 'app/features/endpoints/bad-5.ts', "import 'uuid'"],
  [`${DECISION}, and no other package`, 'app/features/endpoints/bad-6.ts', "import 'react'"],
  [`${DECISION}; ${NODE}`, 'app/features/endpoints/bad-7.ts', "import 'node:crypto'"],

  [USE_CASE, 'app/features/endpoints/bad-1.server.ts', "import '../events/deliver.server.ts'"],
  [USE_CASE, 'app/features/endpoints/bad-2.server.ts', "import '#app/adapters/outbound.server.ts'"],
  [
    USE_CASE,
    'app/features/endpoints/bad-3.server.ts',
    "import { App } from '#app/context/app-context.ts'\nexport const a = App",
  ],
  [USE_CASE, 'app/features/endpoints/bad-4.server.ts', "import '#db/sql/store.server.ts'"],
  [USE_CASE, 'app/features/endpoints/bad-5.server.ts', "import '#app/http/session.server.ts'"],
  [USE_CASE, 'app/features/endpoints/bad-6.server.ts', "import '#app/ui/button.tsx'"],
  [USE_CASE, 'app/features/endpoints/bad-7.server.ts', "import './ui/card.tsx'"],
  [USE_CASE, 'app/features/endpoints/actions/bad-8.server.ts', "import '#app/features/events/deliver.server.ts'"],
  [`${USE_CASE}; ${PACKAGE}`, 'app/features/endpoints/bad-9.server.ts', "import 'drizzle-orm'"],
  [`${USE_CASE}; ${PACKAGE}`, 'app/features/endpoints/bad-10.server.ts', "import '@remix-run/node'"],
  [`${USE_CASE}; ${NODE}`, 'app/features/endpoints/bad-11.server.ts', "import 'node:https'"],

  [ORDER, 'app/features/events/bad-1.ts', "import '../endpoints/webhook.ts'"],
  [
    ORDER,
    'app/features/events/bad-2.server.ts',
    "import type { Webhook } from '#app/features/endpoints/webhook.ts'\nexport type W = Webhook",
  ],
  [ORDER, 'app/features/audit/ui/bad-3.tsx', "import '#app/features/endpoints/webhook.ts'"],
  ['a feature has its place in the order of features', 'app/features/invoices/bad-1.ts', "import '#app/lib/clock.ts'"],

  [DESIGN, 'app/ui/bad-1.tsx', "import '#app/features/endpoints/ui/card.tsx'"],
  [DESIGN, 'app/ui/bad-2.tsx', "import '#app/lib/token.server.ts'"],
  [`${DESIGN}; ${PACKAGE}`, 'app/ui/bad-3.tsx', "import '@remix-run/node'"],
  [`${DESIGN}; ${NODE}`, 'app/ui/bad-4.tsx', "import 'node:fs'"],
  [PIXELS, 'app/features/endpoints/ui/bad-1.tsx', "import '../webhooks.server.ts'"],
  [PIXELS, 'app/features/endpoints/log/ui/bad-6.tsx', "import '../../webhooks.server.ts'"],
  [PIXELS, 'app/features/endpoints/ui/bad-2.tsx', "import '#app/features/events/ui/log.tsx'"],
  [
    `${PIXELS}, types included`,
    'app/features/endpoints/ui/bad-3.tsx',
    "import type { Store } from '#db/store.ts'\nexport type S = Store",
  ],
  [`${PIXELS}; ${PACKAGE}`, 'app/features/endpoints/ui/bad-4.tsx', "import 'pino'"],
  [`${PIXELS}; ${NODE}`, 'app/features/endpoints/ui/bad-5.tsx', "import 'node:path'"],

  [DB, 'db/sqlite/bad-1.server.ts', "import '#app/features/events/delivery.ts'"],
  [DB, 'db/sqlite/bad-2.server.ts', "import '#app/boot/env.server.ts'"],
  [
    `${DB}, types included`,
    'db/bad-6.ts',
    "import type { due } from '#app/features/events/delivery.ts'\nexport type D = typeof due",
  ],
  [
    `${DB}, types included`,
    'db/bad-3.ts',
    "import type { App } from '#app/context/app-context.ts'\nexport type A = App",
  ],
  [`${DB}; ${PACKAGE}`, 'db/bad-4.server.ts', "import 'undici'"],
  [`${DB}; ${NODE}`, 'db/bad-5.server.ts', "import 'node:http'"],

  [ADAPTERS, 'app/adapters/bad-1.server.ts', "import '#db/sql/store.server.ts'"],
  [ADAPTERS, 'app/adapters/bad-2.server.ts', "import '#app/features/endpoints/webhook.ts'"],
  [`${ADAPTERS}; ${PACKAGE}`, 'app/adapters/bad-3.server.ts', "import 'drizzle-orm'"],
  [PURE_ADAPTERS, 'app/adapters/bad-4.ts', "import './outbound.server.ts'"],
  [`${PURE_ADAPTERS}; ${NODE}`, 'app/adapters/bad-5.ts', "import 'node:net'"],

  [ENGINE, 'app/engine/bad-1.server.ts', "import '#app/features/events/deliver.server.ts'"],
  [ENGINE, 'app/engine/bad-2.server.ts', "import '#app/features/events/delivery.ts'"],
  [ENGINE, 'app/engine/bad-3.server.ts', "import '#app/adapters/outbound.server.ts'"],
  [ENGINE, 'app/engine/bad-4.server.ts', "import { Store } from '#db/store.ts'\nexport const s = Store"],
  [`${ENGINE}; ${PACKAGE}`, 'app/engine/bad-5.server.ts', "import 'undici'"],
  [`${ENGINE}; ${NODE}`, 'app/engine/bad-6.server.ts', "import 'node:http'"],

  [SANDBOX, 'packages/sandbox/bad-1.server.ts', "import '#app/features/endpoints/webhooks.server.ts'"],
  [SANDBOX, 'packages/sandbox/bad-2.server.ts', "import '#db/sql/store.server.ts'"],

  [ROUTES, 'app/routes/bad-1.ts', "import '#db/sql/store.server.ts'"],
  [ROUTES, 'app/routes/bad-2.ts', "import '#app/adapters/outbound.server.ts'"],
  [ROUTES, 'app/routes/bad-3.ts', "import '#app/engine/pump.server.ts'"],
  [ROUTES, 'app/routes/bad-4.ts', "import '#app/boot/boot.server.ts'"],
  [ROUTES, 'app/routes/bad-5.ts', "import '#app/boot/env.server.ts'"],
  [ROUTES, 'app/routes/bad-6.ts', "import '#sandbox/world.server.ts'"],
  [
    `${ROUTES}, types included`,
    'app/routes/bad-7.ts',
    "import type { Store } from '#db/store.ts'\nexport type S = Store",
  ],
  [`${ROUTES}; ${PACKAGE}`, 'app/routes/bad-8.ts', "import 'better-sqlite3'"],
  [`${ROUTES}; ${NODE}`, 'app/routes/bad-9.ts', "import 'node:net'"],

  [HTTP, 'app/http/bad-1.server.ts', "import '#db/sql/store.server.ts'"],
  [HTTP, 'app/http/bad-2.server.ts', "import '#app/routes/pages/manager.tsx'"],
  [`${HTTP}; ${PACKAGE}`, 'app/http/bad-3.server.ts', "import 'undici'"],

  [WIRING, 'app/features/endpoints/bad-12.server.ts', "import '#app/boot/boot.server.ts'"],
  [WIRING, 'app/features/endpoints/bad-14.server.ts', "import '#app/commands/doctor.server.ts'"],
  [WIRING, 'app/http/bad-4.server.ts', "import '#app/boot/jobs.server.ts'"],
  [SCRIPTS, 'scripts/bad-1.mjs', "import '../app/boot/boot.server.ts'"],
  [SCRIPTS, 'scripts/bad-2.mjs', "import '../tests/support/test-app.ts'"],
  [
    'a file of app, db or packages belongs to a part: add a row to the law for a new one',
    'app/services/bad-1.ts',
    "import '../lib/clock.ts'",
  ],
  [
    'a file of app, db or packages belongs to a part: add a row to the law for a new one',
    'app/composing.server.ts',
    "import './lib/clock.ts'",
  ],
  [
    'SQL and its packages live in db; the sandbox keeps its own state',
    'app/http/bad-5.server.ts',
    "import 'drizzle-orm'",
  ],
  [SHIPPED, 'app/boot/delivery.server.ts', "import '#tests/support/test-app.ts'"],
  [SHIPPED, 'app/boot/bench.server.ts', "import '#lab/crash/crash.ts'"],
  [SHIPPED, 'packages/sandbox/bad-3.server.ts', "import '#lab/crash/crash.ts'"],
  [ENTRY, 'app/boot/bad-1.server.ts', "import '#sandbox/world.server.ts'"],
  [
    ENTRY,
    'db/sqlite/bad-7.server.ts',
    "import type { world } from '#sandbox/world.server.ts'\nexport type W = typeof world",
  ],
  [SHIPPED, 'app/features/endpoints/bad-13.server.ts', "import '../events/deliver.server.test.ts'"],
  [UNIT, 'app/features/endpoints/bad-1.test.ts', "import '../events/deliver.server.ts'"],
  [UNIT, 'app/features/endpoints/bad-2.test.ts', "import '#app/boot/boot.server.ts'"],
  [UNIT, 'db/bad-1.test.ts', "import '#app/features/endpoints/webhooks.server.ts'"],
  ['no test imports another test', 'tests/walks/bad-1.test.ts', "import '#app/features/events/deliver.server.test.ts'"],
  ['modules do not import each other in a circle', 'app/lib/bad-round.ts', "import './bad-trip.ts'"],
  ['every import leads to a file or a package that is there', 'app/lib/bad-7.ts', "import './nowhere.ts'"],
  ['every import leads to a file or a package that is there', 'app/lib/bad-8.server.ts', "import 'never-installed'"],
  ['what ships uses dependencies, not devDependencies', 'app/lib/bad-9.server.ts', "import 'fast-check'"],
  ['a package that is imported is named in package.json', 'app/lib/bad-10.server.ts', "import 'stowaway'"],
]

/** Files the law speaks of by name: the offence takes the place of the lawful one, in a tree of its own. */
const NAMED_OFFENCES: typeof OFFENCES = [
  [ENV, 'app/boot/env.server.ts', "import '#app/adapters/outbound.server.ts'"],
  [ENV, 'app/boot/logger.server.ts', "import './env.server.ts'"],
  [
    CONTEXT,
    'app/context/app-context.ts',
    "import { second } from '#app/lib/clock.ts'\nexport type App = typeof second",
  ],
  [TABLE, 'app/routes/table.ts', "import './pages/manager.tsx'\nexport default []"],
  [TABLE, 'app/routes/route-patterns.ts', "import '#app/boot/env.server.ts'"],
  [ROUTES, 'app/root.tsx', "import './boot/env.server.ts'"],
  [ENTRIES, 'app/entry.server.tsx', "import '#db/sql/store.server.ts'"],
]

/** The other half of the circle. */
const ACCOMPLICE = { 'app/lib/bad-trip.ts': "import './bad-round.ts'\n" }

const trees: { root: string; remove(): void }[] = []
async function violationsIn(files: Record<string, string>): Promise<Violation[]> {
  const tree = plantTree(files)
  trees.push(tree)
  return (await readImports(tree.root)).summary.violations
}
afterAll(() => {
  for (const tree of trees) tree.remove()
})

const plantedText = (offences: typeof OFFENCES) =>
  Object.fromEntries(offences.map(([, file, text]) => [file, `${text}\n`]))

describe('the import law', () => {
  let planted: Violation[]
  let named: Violation[]
  beforeAll(async () => {
    ;[planted, named] = await Promise.all([
      violationsIn({ ...LAWFUL, ...ACCOMPLICE, ...plantedText(OFFENCES) }),
      violationsIn({ ...LAWFUL, ...plantedText(NAMED_OFFENCES) }),
    ])
  })

  test.each(OFFENCES)('%s: %s is caught', (rule, file) => {
    expect(planted.filter((each) => each.from === file).map((each) => each.rule.name)).toContain(rule)
  })

  test.each(NAMED_OFFENCES)('%s: a changed %s is caught', (rule, file) => {
    expect(named.filter((each) => each.from === file).map((each) => each.rule.name)).toContain(rule)
  })

  test('has nothing against imports that every part may make', async () => {
    expect(await violationsIn(LAWFUL)).toEqual([])
  })

  test('has no rule without a planted offence', async () => {
    const { default: law } = await import('../../.dependency-cruiser.cjs')
    const tried = new Set([...OFFENCES, ...NAMED_OFFENCES].map(([rule]) => rule))
    const base = (name: string) =>
      name.replace(', types included', '').replace(/; this (package|module of Node) .*$/, '')
    const names = (law.forbidden ?? []).map((rule) => base(rule.name ?? 'a rule without a name'))
    const untried = names.filter((name) => !tried.has(name))
    expect([...new Set(untried)]).toEqual([])
  })
})

import { execFile } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { FILE_LINES, findOffences, offencesIn, ROUTE_LINES } from '../../scripts/house-rules.mjs'
import { plantTree, ROOT } from './planted-tree.ts'

const DECISION = 'app/features/events/delivering/delivery.ts'
const USE_CASE = 'app/features/events/delivering/deliver.server.ts'
const STORE = 'db/sql/events.server.ts'
const ROUTE = 'app/routes/pages/manager.tsx'

const TRANSACTION = 'no async function in .transaction(): what follows its first await is outside of it'
const ENV = 'only app/boot/env.server.ts reads process.env'
const DIALS = 'only adapters and the sandbox open connections: no fetch, no undici, no http.request'
const BY_NAME = 'values of a statement are bound by name (@account), outside of db/sql/hot'
const PURE = 'a decision has no clock, chance, waiting or I/O:'

const rulesBroken = (file: string, text: string) => offencesIn(file, text).map((offence) => offence.rule)

test.each([
  [STORE, 'database.transaction(async () => insert())', TRANSACTION],
  [STORE, 'database.transaction(async function () { insert() })', TRANSACTION],
  [STORE, 'const work = async () => insert()\ndatabase.transaction(work)', TRANSACTION],
  [STORE, 'async function work() {}\ndatabase.transaction(work).immediate()', TRANSACTION],
  ['tests/walks/events.test.ts', 'database.transaction(async (tx) => { await tx.run() })', TRANSACTION],

  [STORE, "sql.prepare('SELECT 1 FROM event WHERE seq = ?')", BY_NAME],
  [STORE, `sql.prepare(\`SELECT \${columns} FROM event WHERE \${here} LIMIT ?\`)`, BY_NAME],
  [STORE, "const values = 'INSERT INTO lease VALUES (?, ?)'", BY_NAME],

  [USE_CASE, 'const port = process.env.PORT', ENV],
  [USE_CASE, "const port = process['env'].PORT", ENV],
  [USE_CASE, 'const port = globalThis.process.env.PORT', ENV],
  [USE_CASE, 'const { env } = process', ENV],
  [USE_CASE, "import { env } from 'node:process'", ENV],
  ['app/boot/boot.server.ts', 'const port = process.env.PORT', ENV],
  [STORE, 'const file = process.env.DATABASE_URL', ENV],

  [USE_CASE, 'await fetch(url)', DIALS],
  [USE_CASE, 'await globalThis.fetch(url)', DIALS],
  [USE_CASE, 'const call = { fetch }', DIALS],
  [USE_CASE, "import { request } from 'undici'", DIALS],
  [USE_CASE, "const { request } = await import('undici')", DIALS],
  [USE_CASE, "const { request } = require('undici')", DIALS],
  ['app/engine/pump.server.ts', "import { request } from 'node:https'", DIALS],
  ['app/engine/pump.server.ts', "import http from 'node:http'\nhttp.request(url)", DIALS],
  ['app/engine/pump.server.ts', "import * as net from 'net'\nnet.connect(80)", DIALS],
  ['app/features/events/delivering/ui/log.tsx', "fetch('/api/webhooks')", DIALS],
  [ROUTE, "await fetch('https://example.com')", DIALS],

  [DECISION, 'const now = Date.now()', `${PURE} Date.now`],
  [DECISION, 'const now = globalThis.Date.now()', `${PURE} Date.now`],
  [DECISION, 'const clock = Date.now', `${PURE} Date.now`],
  [DECISION, 'const now = new Date()', `${PURE} new Date()`],
  [DECISION, 'const now = new Date', `${PURE} new Date()`],
  [DECISION, 'const now = Date()', `${PURE} Date()`],
  [DECISION, 'const now = performance.now()', `${PURE} performance.now`],
  [DECISION, 'const jitter = Math.random()', `${PURE} Math.random`],
  [DECISION, 'const id = crypto.randomUUID()', `${PURE} crypto.randomUUID`],
  [DECISION, 'fetch(url)', `${PURE} fetch`],
  [DECISION, 'setTimeout(work, 5)', `${PURE} setTimeout`],
  [DECISION, 'globalThis.setInterval(work, 5)', `${PURE} setInterval`],
  [DECISION, 'const later = setImmediate', `${PURE} setImmediate`],
  [DECISION, 'export async function decide() {}', `${PURE} async`],
  [DECISION, 'export const decide = async () => 1', `${PURE} async`],
  [DECISION, 'export const decisions = { async decide() {} }', `${PURE} async`],
  [DECISION, 'export const decided = await other', `${PURE} await`],
  [DECISION, 'for await (const each of stream) use(each)', `${PURE} await`],
  ['app/lib/duration.ts', 'export const started = Date.now()', `${PURE} Date.now`],
  ['app/features/automations/actions/action.ts', 'export const at = new Date()', `${PURE} new Date()`],
])('in %s this is caught: %s', (file, text, rule) => {
  expect(rulesBroken(file, text)).toContain(rule)
})

test.each([
  [STORE, 'database.transaction(() => insert())'],
  [STORE, 'const work = () => insert()\ndatabase.transaction(work)'],
  [STORE, "sql.prepare('SELECT 1 FROM event WHERE seq = @seq')"],
  ['db/sql/hot/accept.server.ts', "sql.prepare('SELECT 1 FROM event WHERE seq = ?')"],
  ['app/boot/env.server.ts', 'export const port = process.env.PORT'],
  ['scripts/start.mjs', 'process.env.NODE_ENV = process.env.NODE_ENV'],
  ['app/boot/env.server.test.ts', 'process.env.PORT'],
  [USE_CASE, 'const started = process.hrtime()'],
  ['app/adapters/outbound.server.ts', "import { request } from 'undici'\nrequest(url)"],
  ['packages/sandbox/hooks.server.ts', 'await fetch(url)'],
  [USE_CASE, "import type { Dispatcher } from 'undici'"],
  [USE_CASE, 'const handler = { fetch: 1 }\nplatform.fetch()'],
  [USE_CASE, 'export const load = (fetch: () => void) => fetch()'],
  ['app/boot/platform-ingress.server.ts', "import type { IncomingMessage } from 'node:http'"],
  [DECISION, 'export const day = new Date(millis).toISOString()'],
  [DECISION, 'export const at = (clock: { setTimeout(): void }) => clock.setTimeout()'],
  ['app/features/events/delivering/delivery.test.ts', 'await Promise.resolve(Date.now())'],
  ['app/lib/clocks.server.ts', 'export const now = () => Date.now()'],
  ['app/routes/api/webhooks.ts', 'export async function loader() { return await 1 }'],
  ['app/features/events/delivering/ui/log.tsx', 'setTimeout(close, 5000)'],
])('in %s this is fine: %s', (file, text) => {
  expect(rulesBroken(file, text)).toEqual([])
})

const lines = (count: number) => 'const a = 1\n'.repeat(count)

test('a route module that is too long is caught, one line less is fine', () => {
  expect(rulesBroken(ROUTE, lines(ROUTE_LINES + 1))).toEqual([
    `a route module has at most ${ROUTE_LINES} lines; this one has ${ROUTE_LINES + 1}`,
  ])
  expect(rulesBroken(ROUTE, lines(ROUTE_LINES))).toEqual([])
})

test('a long file is caught unless its first line gives the reason', () => {
  expect(rulesBroken(USE_CASE, lines(FILE_LINES + 1))).toHaveLength(1)
  expect(rulesBroken(USE_CASE, `// Long:\n${lines(FILE_LINES)}`)).toHaveLength(1)
  expect(rulesBroken(USE_CASE, `// Long: one table of addresses.\n${lines(FILE_LINES)}`)).toEqual([])
  expect(rulesBroken('app/styles/theme.css', lines(FILE_LINES + 1))).toHaveLength(1)
})

test('an offence is found in a tree, with its file and line', () => {
  const tree = plantTree({ [USE_CASE]: 'const a = 1\nconst port = process.env.PORT\n' })
  expect(findOffences(tree.root)).toEqual({ files: 1, offences: [{ file: USE_CASE, line: 2, rule: ENV }] })
  tree.remove()
})

test('the linter refuses what it is there to refuse', async () => {
  const tree = plantTree({
    'app/lib/floating.ts': 'export async function send(): Promise<void> {}\nsend()\n',
    'app/lib/choice.ts': 'export enum Choice {\n  Yes,\n}\n',
    'app/lib/loose.ts': 'export const loose = (value: any) => value\n',
    'app/lib/index.ts': "export { loose } from './loose.ts'\n",
    'app/lib/no-extension.ts': "import { loose } from './loose'\n\nexport const tight = loose\n",
    'app/lib/badName.ts': 'export const a = 1\n',
    'app/lib/env.ts': 'export const port = process.env.PORT\n',
    'app/lib/loud.ts': "console.log('here')\n",
    'app/lib/unformatted.ts': 'export const a = "double";\n',
    // Planted for the linter to find, in a tree of their own; put together here so that a search for such tests finds none.
    'app/lib/alone.test.ts': `import { test } from 'vitest'\n\n${['test', 'only'].join('.')}('one', () => {})\n`,
    'app/lib/absent.test.ts': `import { test } from 'vitest'\n\n${['test', 'skip'].join('.')}('one', () => {})\n`,
  })
  copyFileSync(join(ROOT, 'biome.json'), join(tree.root, 'biome.json'))
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome')
  const args = [biome, 'check', '--reporter=json', '--max-diagnostics=none', '--error-on-warnings', '.']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: tree.root }).catch((error) => error)
  tree.remove()
  const found = JSON.parse(stdout).diagnostics.map((each: Diagnostic) => `${fileOf(each)} ${each.category}`)
  for (const expected of [
    'floating.ts lint/nursery/noFloatingPromises',
    'choice.ts lint/style/noEnum',
    'loose.ts lint/suspicious/noExplicitAny',
    'index.ts lint/performance/noBarrelFile',
    'no-extension.ts lint/correctness/useImportExtensions',
    'badName.ts lint/style/useFilenamingConvention',
    'env.ts lint/style/noProcessEnv',
    'loud.ts lint/suspicious/noConsole',
    'unformatted.ts format',
    'alone.test.ts lint/suspicious/noFocusedTests',
    'absent.test.ts lint/suspicious/noSkippedTests',
  ]) {
    expect(found).toContain(expected)
  }
})

interface Diagnostic {
  category: string
  location: { path: string | { file: string } }
}

function fileOf({ location }: Diagnostic): string {
  const path = typeof location.path === 'string' ? location.path : location.path.file
  return path.split('/').at(-1) ?? path
}

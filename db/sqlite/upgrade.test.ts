// Long: one stage for all upgrades. From every released schema to today's: nothing is lost, nothing is half done, and there
// is a way back.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { LAST_RUNS } from '#app/domain/automations/run-record.ts'
import { sealedPlace } from '#app/domain/sealed-places.ts'
import { accountKeyring } from '../sql/accounts/account-keys.server.ts'
import { sqlStore } from '../sql/store.server.ts'
import { openClient } from './client.server.ts'
import { bringUpToDate, newestApplied, readMigrations } from './migrations.server.ts'
import { forgetSafetyCopies, safetyCopies, takeSafetyCopy } from './safety-copy.server.ts'

const MIGRATIONS = readMigrations('db/migrations')
const NEWEST = MIGRATIONS.at(-1)?.tag ?? ''
const RELEASED = MIGRATIONS.slice(0, -1).map(({ tag }) => tag)
/** What tests/data/schemas/rows.json is sealed with. */
const FIXTURE_KEYS = `k1:${createHash('sha256').update('the keys of the fixtures').digest('base64')}`
const LEEDS = '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01'
const BONDI = '5b7f8a10-2c44-4f5d-8e0b-91b7a2d4c902'
const ALL_AUDIT = { actions: null, outcome: null, since: null, until: null, before: null, limit: 5 }
const CLOCK = { now: () => 1_795_300_000_000, wake: () => () => {} }

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-upgrade-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function fixtureText(tag: string): string {
  return readFileSync(`tests/data/schemas/${tag}.sql`, 'utf8')
}

/** A file as that release left it: in WAL mode, as everywhere. */
function releasedFile(tag: string, name = 'fieldhook.db'): string {
  const file = join(folder, name)
  const sql = new Database(file)
  sql.pragma('auto_vacuum = INCREMENTAL')
  sql.pragma('journal_mode = WAL')
  sql.pragma('synchronous = OFF')
  // Tables stand in the order of their names.
  sql.pragma('foreign_keys = OFF')
  sql.exec(`BEGIN; ${fixtureText(tag)} COMMIT`)
  sql.close()
  return file
}

/** Every table and index with its text, spaces and quotes aside; columns that were added later stand at the end. */
function schemaOf(sql: Database.Database): string[] {
  const rows = sql
    .prepare("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY type, name")
    .all() as { type: string; name: string; sql: string | null }[]
  return rows.map(({ type, name, sql: text }) => `${type} ${name}: ${(text ?? '').replace(/\s+/g, ' ')}`)
}

function countsOf(sql: Database.Database): Record<string, number> {
  const names = sql
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%~_~_%' ESCAPE '~' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
    )
    .pluck()
    .all() as string[]
  return Object.fromEntries(
    names.map((name) => [name, sql.prepare(`SELECT count(*) FROM "${name}"`).pluck().get() as number]),
  )
}

/** 0013 made one table for what an account is told: about addresses and about automations. */
function underTodaysNames({ endpoint_notice: notice, ...counts }: Record<string, number>): Record<string, number> {
  return notice === undefined ? counts : { ...counts, notice }
}

const NOTICES_TOLD = 'SELECT subject_kind, subject_id, kind, since, ended_at FROM notice WHERE id = 1'
const OLD_NOTICE = {
  subject_kind: 'endpoint',
  subject_id: 1,
  kind: 'failing',
  since: 1_795_103_600_000,
  ended_at: null,
}

function migrationsIn(file: string): number {
  const sql = new Database(file, { readonly: true })
  try {
    return sql.prepare('SELECT count(*) FROM "__drizzle_migrations"').pluck().get() as number
  } finally {
    sql.close()
  }
}

test('every migration but the newest has a fixture, with rows in every table, and was not changed since', () => {
  const written = readdirSync('tests/data/schemas').filter((name) => name.endsWith('.sql'))
  expect(RELEASED.filter((tag) => !written.includes(`${tag}.sql`))).toEqual([])
  for (const tag of RELEASED) {
    const sql = new Database(':memory:')
    sql.pragma('foreign_keys = OFF')
    sql.exec(fixtureText(tag))
    expect(Object.entries(countsOf(sql)).filter(([, count]) => count === 0)).toEqual([])
    const hashes = sql.prepare('SELECT hash FROM "__drizzle_migrations" ORDER BY created_at').pluck().all()
    expect(hashes).toEqual(MIGRATIONS.slice(0, hashes.length).map(({ hash }) => hash))
    sql.close()
  }
})

test.each(RELEASED)('a database of %s comes up to date with all that was in it', async (tag) => {
  const file = releasedFile(tag)
  const old = new Database(file, { readonly: true })
  const before = countsOf(old)
  old.close()
  const client = openClient(file, 'db/migrations')
  const fresh = openClient(join(folder, 'fresh.db'), 'db/migrations')
  try {
    expect(client.sql.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(client.sql.pragma('foreign_key_check')).toEqual([])
    expect(client.sql.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(schemaOf(client.sql)).toEqual(schemaOf(fresh.sql))
    expect(countsOf(client.sql)).toMatchObject(underTodaysNames(before))
    expect(client.sql.prepare(NOTICES_TOLD).all()).toMatchObject(
      'endpoint_notice' in before || 'notice' in before ? [OLD_NOTICE] : [],
    )

    const store = sqlStore(client, CLOCK)
    expect(await store.accounts.findAccount(LEEDS)).toMatchObject({ name: 'Leeds Boilers' })
    expect(await store.endpoints.listEndpoints(LEEDS, 'webhook')).toMatchObject([
      { objectType: 'job' },
      { objectType: 'company' },
    ])
    expect(await store.endpoints.listSubscriptions(LEEDS)).toMatchObject([{ object: 'job' }, { object: 'note' }])
    expect(await store.events.findDelivery(LEEDS, 1)).toMatchObject({
      delivery: { attempts: 2, lastCode: 200 },
      body: expect.stringContaining('"object":"job"'),
    })
    expect(await store.deliveries.waitingTotals()).toMatchObject({ deliveries: 1 })
    if ('automation' in before) {
      expect(await store.automations.listAutomations(LEEDS)).toMatchObject([{ name: 'Thank the customer', version: 2 }])
      expect((await store.runs.listRuns(LEEDS, LAST_RUNS)).map(({ state }) => state)).toEqual(['held', 'done'])
    }
    if ('plan' in before) expect(await store.billing.findPlan(LEEDS)).toMatchObject({ status: 'active' })
    if ('audit_entry' in before)
      expect(await store.audit.listAudit(LEEDS, ALL_AUDIT)).toMatchObject([{ action: 'sign_in' }])

    const secrets = createSecretBox(FIXTURE_KEYS, accountKeyring(client, CLOCK.now))
    for (const [account, name] of [
      [LEEDS, '0d3c3b52'],
      [BONDI, '5b7f8a10'],
    ] as const) {
      const credential = await store.accounts.findCredential(account)
      if (account === BONDI && !credential) continue
      expect(await secrets.open(sealedPlace('access_token', account), credential?.accessTokenSealed ?? '')).toBe(
        `access-of-${name}`,
      )
    }
  } finally {
    client.close()
    fresh.close()
  }
  // The way back: what the release before can open.
  const copy = join(folder, `pre-${NEWEST}.db`)
  const kept = new Database(copy, { readonly: true })
  expect(countsOf(kept)).toEqual(before)
  expect(kept.pragma('auto_vacuum', { simple: true })).toBe(2)
  expect(newestApplied(kept)).toBe(MIGRATIONS.find((migration) => migration.tag === tag)?.when)
  kept.close()
  expect(readdirSync(folder).filter((name) => name.includes('half'))).toEqual([])
})

test('rules from before "how often" was a choice do what they did, and whose customers may hear again is told once', async () => {
  const file = releasedFile('0005_operations')
  const old = new Database(file)
  const sample = old.prepare('SELECT definition FROM automation WHERE id = 1').pluck().get() as string
  const add = old.prepare(
    `INSERT INTO automation (id, account_uuid, name, active, trigger_source, watched_object, version, definition, baselined,
       execution_count, created_at, updated_at) VALUES (?, ?, ?, 1, ?, NULL, 1, ?, 1, 0, 0, 0)`,
  )
  const rule = (id: number, account: string, once: string, trigger: object, type = 'send_sms') => {
    const steps = [{ id: 's1', type, parameters: {}, waitForPrevious: false }]
    const definition = { ...JSON.parse(sample), once, trigger, steps }
    add.run(id, account, `Rule ${id}`, (trigger as { source: string }).source, JSON.stringify(definition))
  }
  const manual = { source: 'manual_endpoint' }
  rule(11, LEEDS, 'change', { source: 'webhook', object: 'job', type: 'job_updated' })
  rule(12, LEEDS, 'period', { source: 'webhook', object: 'job', type: 'job_status' }, 'create_task')
  rule(13, LEEDS, 'week', manual)
  rule(14, LEEDS, 'record', { source: 'api_polling', interval: 'on_demand' })
  rule(21, BONDI, 'record', { source: 'webhook', object: 'job', type: 'job_updated' })
  rule(22, BONDI, 'period', { source: 'api_polling', interval: 'on_demand' })
  old.close()
  const client = openClient(file, 'db/migrations')
  const store = sqlStore(client, CLOCK)
  const onceOf = async (account: string) =>
    Object.fromEntries(
      (await store.automations.listAutomations(account)).map(({ id, definition }) => [id, definition.once]),
    )
  expect(await onceOf(LEEDS)).toMatchObject({ 11: 'change', 12: 'change', 13: 'value:date', 14: 'record' })
  expect(await onceOf(BONDI)).toEqual({ 21: 'record', 22: 'period' })
  expect([await store.automations.owesRepeatNotice(LEEDS), await store.automations.owesRepeatNotice(BONDI)]).toEqual([
    true,
    false,
  ])
  await store.automations.dismissRepeatNotice(LEEDS)
  expect(await store.automations.owesRepeatNotice(LEEDS)).toBe(false)
  client.close()
})

test('only its user reads the file, its log and its copies, also those that an earlier release left open to all', () => {
  const isOpen = (name: string) => (statSync(join(folder, name)).mode & 0o077) !== 0
  const openTo = () => readdirSync(folder).filter(isOpen)
  const made = openClient(join(folder, 'new.db'), 'db/migrations')
  expect([readdirSync(folder), openTo()]).toEqual([['new.db', 'new.db-shm', 'new.db-wal'], []])
  made.close()
  const file = releasedFile(RELEASED.at(-1) ?? '')
  copyFileSync(file, join(folder, 'pre-0001_old.db'))
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644)
  const opened = openClient(file, 'db/migrations')
  expect(readdirSync(folder)).toContain(`pre-${NEWEST}.db`)
  expect(openTo()).toEqual(['new.db'])
  opened.close()
})

test('a start that finds nothing to change makes no copy', () => {
  const file = join(folder, 'fieldhook.db')
  openClient(file, 'db/migrations').close()
  openClient(file, 'db/migrations').close()
  expect(readdirSync(folder)).toEqual(['fieldhook.db'])
})

test('a process that ends at any statement leaves the schema before or after a migration, and the next start goes on', () => {
  // Between any two statements the file and its log are copied, as a process that ends there leaves them.
  const plan = join(folder, 'migrations')
  planWithCuts(plan)
  const file = releasedFile('0000_foundation')
  const whole = MIGRATIONS.map(({ tag }) => (tag === NEWEST ? null : schemaAfter(tag)))
  const wanted = schemaAfter(NEWEST)
  const sql = new Database(file)
  const cuts: string[] = []
  sql.function('cut_here', () => {
    const cut = join(folder, `cut-${cuts.length}.db`)
    copyFileSync(file, cut)
    copyFileSync(`${file}-wal`, `${cut}-wal`)
    cuts.push(cut)
    return 0
  })
  // Next to no memory: what is not committed yet reaches the log as well.
  sql.pragma('cache_size = 1')
  sql.pragma('synchronous = OFF')
  bringUpToDate(sql, file, plan)
  sql.close()
  expect(cuts.length).toBeGreaterThan(50)

  const found = new Set<number>()
  for (const [index, cut] of cuts.entries()) {
    const left = new Database(cut)
    const step = whole.findIndex((schema) => schema?.join() === schemaOf(left).join())
    expect([index, step === -1]).toEqual([index, false])
    found.add(step)
    left.pragma('synchronous = OFF')
    // The copy is the subject of other tests; a schema without its ledger's last line is brought up to date just the same.
    if (index % 10 === 0) {
      bringUpToDate(left, cut, 'db/migrations')
      expect(schemaOf(left)).toEqual(wanted)
      expect(left.pragma('integrity_check', { simple: true })).toBe('ok')
    }
    left.close()
  }
  // A migration that changes rows alone leaves the schema of the one before it.
  const told = whole.map((schema) => schema?.join() ?? '')
  expect([...found]).toEqual(
    RELEASED.flatMap((_tag, index) => (told.indexOf(told[index] ?? '') === index ? [index] : [])),
  )
})

test('a process that ends while it makes a new file leaves one that the next start completes', () => {
  const plan = join(folder, 'migrations')
  planWithCuts(plan)
  const file = join(folder, 'fieldhook.db')
  const sql = new Database(file)
  sql.pragma('auto_vacuum = INCREMENTAL')
  sql.pragma('journal_mode = WAL')
  sql.pragma('cache_size = 1')
  sql.pragma('synchronous = OFF')
  let statements = 0
  sql.function('cut_here', () => {
    statements++
    if (statements % 20 === 0) {
      copyFileSync(file, join(folder, `cut-${statements}.db`))
      copyFileSync(`${file}-wal`, join(folder, `cut-${statements}.db-wal`))
    }
    return 0
  })
  bringUpToDate(sql, file, plan)
  const wanted = schemaOf(sql)
  sql.close()
  // Made by the open call alone, and nothing written yet.
  writeFileSync(join(folder, 'cut-0.db'), '')
  const cuts = readdirSync(folder).filter((name) => /^cut-\d+\.db$/.test(name))
  expect(cuts.length).toBeGreaterThan(4)
  for (const cut of cuts) {
    const client = openClient(join(folder, cut), 'db/migrations')
    expect([cut, schemaOf(client.sql).length, client.sql.pragma('auto_vacuum', { simple: true })]).toEqual([
      cut,
      wanted.length,
      2,
    ])
    client.close()
  }
})

/** The migrations, with a call of `cut_here` after each statement. */
function planWithCuts(plan: string): void {
  mkdirSync(join(plan, 'meta'), { recursive: true })
  copyFileSync('db/migrations/meta/_journal.json', join(plan, 'meta/_journal.json'))
  for (const { tag, statements } of MIGRATIONS) {
    const text = statements.join('--> statement-breakpoint SELECT cut_here();')
    writeFileSync(join(plan, `${tag}.sql`), `${text} ;SELECT cut_here();`)
  }
}

function schemaAfter(tag: string): string[] {
  const sql = new Database(':memory:')
  const upTo = MIGRATIONS.findIndex((migration) => migration.tag === tag)
  sql.exec(
    fixtureText('0000_foundation')
      .split('\n')
      .filter((line) => !line.startsWith('INSERT'))
      .join('\n'),
  )
  for (const { statements } of MIGRATIONS.slice(1, upTo + 1)) for (const statement of statements) sql.exec(statement)
  const schema = schemaOf(sql)
  sql.close()
  return schema
}

/** The first migrations alone, as a release had them; with `then`, all of them, and the next one is that text. */
function releaseOf(count: number, then?: string): string {
  const plan = join(folder, `release-${count}`)
  mkdirSync(join(plan, 'meta'), { recursive: true })
  const { entries } = JSON.parse(readFileSync('db/migrations/meta/_journal.json', 'utf8')) as {
    entries: { tag: string }[]
  }
  const all = then === undefined ? entries.slice(0, count) : entries
  writeFileSync(join(plan, 'meta/_journal.json'), JSON.stringify({ entries: all }))
  for (const [index, { tag }] of all.entries()) {
    if (index === count && then !== undefined) writeFileSync(join(plan, `${tag}.sql`), then)
    else copyFileSync(`db/migrations/${tag}.sql`, join(plan, `${tag}.sql`))
  }
  return plan
}

test('an update that was cut off keeps the copy the release before can read; half a copy is thrown away', () => {
  const file = releasedFile('0000_foundation')
  const copy = join(folder, `pre-${NEWEST}.db`)
  // The first start got as far as 0002.
  expect(() => openClient(file, releaseOf(3, 'the machine went down here'))).toThrow('syntax error')
  expect(migrationsIn(file)).toBe(3)
  writeFileSync(`${copy}.4711.half`, 'cut off')
  openClient(file, 'db/migrations').close()
  expect(migrationsIn(copy)).toBe(1)
  expect(migrationsIn(file)).toBe(MIGRATIONS.length)
  expect(existsSync(`${copy}.4711.half`)).toBe(false)

  // Put back and installed once more: the copy is of what was put back, also when an older one cannot be read.
  copyFileSync(copy, file)
  writeFileSync(copy, 'not a database')
  openClient(file, 'db/migrations').close()
  expect(migrationsIn(copy)).toBe(1)
})

test.each(['whole', 'cut off'])(
  'an update after one in between makes its copy anew, though one of its name is there: the first was %s',
  (first) => {
    const file = releasedFile('0000_foundation')
    const copy = join(folder, `pre-${NEWEST}.db`)
    if (first === 'whole') {
      openClient(file, 'db/migrations').close()
      copyFileSync(copy, file)
    } else expect(() => openClient(file, releaseOf(3, 'the machine went down here'))).toThrow('syntax error')
    openClient(file, releaseOf(3)).close()
    const sql = new Database(file)
    sql.exec("UPDATE account SET name = 'Written in between'")
    sql.close()
    openClient(file, 'db/migrations').close()
    expect(migrationsIn(copy)).toBe(3)
    const kept = new Database(copy, { readonly: true })
    expect(kept.prepare('SELECT DISTINCT name FROM account').pluck().all()).toEqual(['Written in between'])
    kept.close()
  },
)

test('three copies are kept, and none for longer than was said', () => {
  for (const [index, name] of ['pre-0001_a.db', 'pre-0002_b.db', 'pre-0003_c.db', 'other.db'].entries()) {
    writeFileSync(join(folder, name), '')
    utimesSync(join(folder, name), 1_000 + index, 1_000 + index)
  }
  openClient(releasedFile('0004_security'), 'db/migrations').close()
  const copies = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith('pre-'))
      .sort()
  expect(copies()).toEqual(['pre-0002_b.db', 'pre-0003_c.db', `pre-${NEWEST}.db`])
  expect(forgetSafetyCopies(join(folder, 'fieldhook.db'), 1_002_000)).toBe(1)
  expect(copies()).toEqual(['pre-0003_c.db', `pre-${NEWEST}.db`])
  expect(existsSync(join(folder, 'other.db'))).toBe(true)
})

test('of older copies none is left where a backup would not fit beside the new one', () => {
  writeFileSync(join(folder, 'pre-0001_a.db'), '')
  const file = join(folder, 'fieldhook.db')
  const sql = new Database(releasedFile('0004_security', 'small.db'))
  // A file with a hole: larger than all that is free, and nothing is written.
  const { bsize, bavail } = statfsSync(folder)
  writeFileSync(file, '')
  truncateSync(file, bsize * bavail)
  takeSafetyCopy(sql, file, { tag: 'new', begun: false })
  sql.close()
  expect(safetyCopies(folder).map(({ path }) => basename(path))).toEqual(['pre-new.db'])
})

test('what a restore replaced goes as long after the restore, with its log, and nothing else does', () => {
  const old = ['fieldhook.db.before-20261101T101112Z', 'fieldhook.db.before-20261101T101112Z-wal']
  const others = [
    'fieldhook.db',
    'fieldhook.db.before-20261102T101112Z',
    'fieldhook.db.before-1',
    'x.before-20261101T101112Z',
  ]
  for (const name of [...old, ...others]) writeFileSync(join(folder, name), '')
  expect(forgetSafetyCopies(join(folder, 'fieldhook.db'), Date.UTC(2026, 10, 2))).toBe(2)
  expect(readdirSync(folder).sort()).toEqual(others.sort())
})

test('a newer database is refused with a sentence and stays as it is', () => {
  const file = join(folder, 'fieldhook.db')
  const client = openClient(file, 'db/migrations')
  client.sql
    .prepare('INSERT INTO "__drizzle_migrations" (hash, created_at) VALUES (?, ?)')
    .run('later', 9_999_999_999_999)
  client.close()
  expect(() => openClient(file, 'db/migrations')).toThrow(/was written by a newer release of Fieldhook than this one/)
  expect(migrationsIn(file)).toBe(MIGRATIONS.length + 1)
})

test('a migration that would orphan rows is taken back whole', () => {
  const file = releasedFile(NEWEST === '0005_operations' ? '0004_security' : (RELEASED.at(-1) ?? ''))
  openClient(file, 'db/migrations').close()
  const plan = join(folder, 'migrations')
  mkdirSync(join(plan, 'meta'), { recursive: true })
  const journal = JSON.parse(readFileSync('db/migrations/meta/_journal.json', 'utf8')) as { entries: object[] }
  for (const { tag } of MIGRATIONS) copyFileSync(`db/migrations/${tag}.sql`, join(plan, `${tag}.sql`))
  journal.entries.push({ tag: '9999_bad', when: 9_000_000_000_000 })
  writeFileSync(join(plan, 'meta/_journal.json'), JSON.stringify(journal))
  writeFileSync(
    join(plan, '9999_bad.sql'),
    'CREATE TABLE extra (id INTEGER) STRICT;--> statement-breakpoint DELETE FROM account;',
  )
  expect(() => openClient(file, plan)).toThrow(/9999_bad was taken back: rows in .*credential/)
  const client = openClient(file, 'db/migrations')
  expect(countsOf(client.sql)).toMatchObject({ account: 2, credential: 2 })
  expect(countsOf(client.sql)).not.toHaveProperty('extra')
  client.close()
})

test('a damaged file is refused with a sentence that says where to read on', () => {
  const file = join(folder, 'fieldhook.db')
  writeFileSync(file, 'this is no database, but it is long enough to have a header'.repeat(100))
  expect(() => openClient(file, 'db/migrations')).toThrow(/is damaged.*docs\/operating\.md/)
})

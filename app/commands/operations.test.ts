// Long: one machine for every command. Backup, restore and drill as the commands do them, on real files.
import { createHash, randomBytes } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Decrypter } from 'age-encryption'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBackupSeal, newBackupKey } from '#app/adapters/backup-seal.server.ts'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { placeOf } from '#app/boot/backup-place.server.ts'
import { type Env, readEnv } from '#app/boot/env.server.ts'
import { TRIAL } from '#app/domain/plan.ts'
import { backupName } from '#app/features/ops/backups.ts'
import { takeBackup } from '#app/features/ops/take-backup.server.ts'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { days, hours } from '#app/lib/duration.ts'
import { accountKeyring } from '#db/sql/accounts/account-keys.server.ts'
import { billingStore } from '#db/sql/billing/billing.server.ts'
import { openBackupStore } from '#db/sqlite/backup-store.server.ts'
import { type Client, openClient } from '#db/sqlite/client.server.ts'
import { databaseFiles } from '#db/sqlite/database-files.server.ts'
import { inUseLock, takeBackupLock, takeLock } from '#db/sqlite/file-lock.server.ts'
import { backupCommand, drillCommand, eraseCommand, releaseCommand, restoreCommand } from './operations.server.ts'

const KEY = (await newBackupKey()).identity
const LEEDS = 'aa10f29c-5f4b-4f0e-93b4-0f9d8f3f1c55'
const newEncKey = () => `k1:${randomBytes(32).toString('base64')}`
const ENC_KEYS = newEncKey()

let root = ''
let env: Readonly<Env>
let client: Client
let said: string[] = []

function environment(more: Record<string, string> = {}): Readonly<Env> {
  return readEnv(
    { BACKUP_TO: 'place', BACKUP_KEY: KEY, ENC_KEYS, SESSION_SECRET: randomBytes(32).toString('hex'), ...more },
    root,
  )
}

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'fieldhook-backup-'))
  env = { ...environment(), migrationsFolder: 'db/migrations' }
  client = openClient(env.databaseFile, env.migrationsFolder)
  const secrets = createSecretBox(
    ENC_KEYS,
    accountKeyring(client, () => 0),
  )
  client.sql.exec(
    `INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('${LEEDS}', 'Leeds', 'UTC', 0, 0)`,
  )
  client.sql
    .prepare("INSERT INTO credential VALUES (?, ?, ?, 0, '', 'connected', NULL, 1, 0, 0)")
    .run(
      LEEDS,
      await secrets.seal(`credential|${LEEDS}|access_token`, 'a'),
      await secrets.seal(`credential|${LEEDS}|refresh_token`, 'r'),
    )
  said = []
})

afterEach(() => {
  client.close()
  rmSync(root, { recursive: true, force: true })
})

const input = (...args: string[]) => ({ args, env, say: (line: string) => void said.push(line) })
const place = () => join(root, 'place')
const backups = () => (existsSync(place()) ? readdirSync(place()).sort() : [])
const besideDatabase = () => readdirSync(join(root, 'data')).filter((name) => /backup-\d|restore-|drill-/.test(name))

async function backUp(): Promise<string> {
  const before = new Set(backups())
  expect([await backupCommand(input()), said]).toEqual([0, expect.anything()])
  return backups().find((name) => !before.has(name)) ?? ''
}

function restored(): string[] {
  const sql = new Database(env.databaseFile, { readonly: true })
  try {
    return sql.prepare<[], string>('SELECT name FROM account ORDER BY name').pluck().all()
  } finally {
    sql.close()
  }
}

test('a backup is taken beside the running product, and an empty machine goes on from it, held', async () => {
  const name = await backUp()
  expect(name).toMatch(/^fieldhook-\d{8}T\d{6}Z-[0-9a-f]{6}$/)
  expect(readdirSync(join(place(), name))).toEqual(['manifest.json', 'part-0001.age'])
  client.sql.exec(
    "INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('later', 'Later', 'UTC', 0, 0)",
  )
  client.close()
  rmSync(join(root, 'data'), { recursive: true })
  expect(await restoreCommand(input())).toBe(0)
  expect(restored()).toEqual(['Leeds'])
  expect(readFileSync(`${env.databaseFile}.held`, 'utf8')).toContain(name)
  // On another machine it must not become the newest of the real backups.
  expect(await backupCommand(input())).toBe(1)
  expect(said.at(-1)).toContain('restored or moved copy')
  expect(statSync(env.databaseFile).mode & 0o777).toBe(0o600)
  expect(besideDatabase()).toEqual([])
  client = openClient(env.databaseFile, env.migrationsFolder)
  // The copy was taken while its backup ran: it is that backup.
  expect(client.sql.prepare('SELECT outcome, name, database_bytes > 0 AS sized FROM backup_run').all()).toEqual([
    { outcome: 'done', name, sized: 1 },
  ])
  said = []
  expect(await releaseCommand(input())).toBe(0)
  expect(said.join('\n')).toContain('0 deliveries and 0 runs')
  expect(existsSync(`${env.databaseFile}.held`)).toBe(true)
  expect(await releaseCommand(input('--yes'))).toBe(0)
  expect(existsSync(`${env.databaseFile}.held`)).toBe(false)
  expect(await releaseCommand({ ...input('--yes'), env: { ...env, hold: true } })).toBe(1)
  expect(said.at(-1)).toBe('HOLD=yes is set: remove it and apply that (docs/operating.md, section 8).')
})

test('a wrong option is answered with where the right ones are', async () => {
  expect(await restoreCommand(input('--repalce'))).toBe(1)
  expect(said).toEqual(["Unknown option '--repalce'. --help lists the options."])
})

test('a release of a file that is not there is refused', async () => {
  const databaseFile = join(root, 'data/mistyped.db')
  expect(await releaseCommand({ ...input(), env: { ...env, databaseFile } })).toBe(1)
  expect(said).toEqual([`There is no database at ${databaseFile}.`])
})

test('what a person can mend is said in a sentence, not in the words of the system', async () => {
  const damaged = join(root, 'data/damaged.db')
  writeFileSync(damaged, 'this is no database at all '.repeat(100))
  writeFileSync(`${damaged}.held`, '{}')
  expect(await releaseCommand({ ...input(), env: { ...env, databaseFile: damaged } })).toBe(1)
  expect(said.pop()).toMatch(/damaged\.db is damaged, and nothing was changed in it\. docs\/operating\.md/)
  const databaseServer = 'postgres://fieldhook:geheim@127.0.0.1:1/fieldhook'
  expect(await releaseCommand({ ...input(), env: { ...env, databaseServer } })).toBe(1)
  expect(said.pop()).toBe('No database answers at 127.0.0.1:1/fieldhook. Check the address, and that the server runs.')
  expect(await backupCommand({ ...input(), env: { ...env, databaseServer, backups: null } })).toBe(1)
  expect(said.pop()).toMatch(/^The database server makes the backups of a PostgreSQL database: set up archiving/)
  await backUp()
  said = []
  expect(await restoreCommand(input('--to', join(env.databaseFile, 'below/it.db')))).toBe(1)
  expect(said).toEqual([
    expect.stringMatching(/cannot be a folder: a file is in its place, or above it\. Name another place\.$/),
  ])
})

test('a restore goes to a file only, also when it is named as in DATABASE_URL', async () => {
  await backUp()
  said = []
  expect(await restoreCommand(input('--to', 'postgres://host/fieldhook'))).toBe(1)
  expect(said).toEqual(['--to must name a file, such as ./look.db.'])
  const to = join(root, 'look.db')
  expect(await restoreCommand(input('--to', `file:${to}`))).toBe(0)
  expect(existsSync(to)).toBe(true)
  // `release` acts on the file of DATABASE_URL, which is another one.
  expect(said.at(-1)).toContain(`\`npm run release -- --yes\` with DATABASE_URL=file:${to}`)
  for (const folder of [root, '']) {
    expect(await restoreCommand(input('--to', folder, '--replace'))).toBe(1)
    expect(said.at(-1)).toMatch(/ is a folder: name a file in it\.$/)
  }
  expect(await restoreCommand(input('one', 'two'))).toBe(1)
  expect(said.at(-1)).toBe('Name one backup, or none for the newest.')
})

test('the ordinary way opens it too: the parts one after the other, age, gunzip', async () => {
  const name = await backUp()
  const { manifest } = JSON.parse(readFileSync(join(place(), name, 'manifest.json'), 'utf8'))
  const sealed = Buffer.concat(
    manifest.parts.map((part: { name: string }) => readFileSync(join(place(), name, part.name))),
  )
  expect(sealed.toString('latin1')).toMatch(/^age-encryption\.org\/v1\n/)
  const decrypter = new Decrypter()
  decrypter.addIdentity(KEY)
  const database = gunzipSync(await decrypter.decrypt(sealed))
  expect(createHash('sha256').update(database).digest('hex')).toBe(manifest.sha256)
  expect(database.length).toBe(manifest.bytes)
  expect(manifest.rows).toMatchObject({ account: 1, credential: 1, event: 0 })
})

test('the drill restores, checks, opens a connection and starts the copy; everything is written down', async () => {
  await backUp()
  // The first event of all, a moment later, does not make it old.
  eventArrives(Date.now())
  const starts: Record<string, string>[] = []
  const startWith = async (variables: Record<string, string>) => {
    starts.push(variables)
    return null
  }
  expect([await drillCommand({ ...input(), startWith }), said]).toEqual([0, expect.anything()])
  expect(starts).toMatchObject([{ HOLD: 'yes', BACKUP_TO: '', STRIPE_SECRET_KEY: '', HOST: '127.0.0.1' }])
  // With the real platform, a start is ready only after it has warmed up, and the drill asks at once.
  const real = {
    PLATFORM: 'servicem8',
    SERVICEM8_APP_ID: 'app',
    SERVICEM8_APP_SECRET: 'secret-of-the-portal',
    APP_ORIGIN: 'https://hooks.example.com',
    SESSION_SECRET: randomBytes(32).toString('base64'),
    ENC_KEYS,
  }
  expect(readEnv(real, root).warmUp).toBe(true)
  expect(readEnv({ ...real, ...starts[0] }, root).warmUp).toBe(false)
  expect(besideDatabase()).toEqual([])
  const book = openBackupStore(env.databaseFile)
  const runs = await book?.store.listBackupRuns(10)
  book?.close()
  expect(runs).toMatchObject([
    { kind: 'drill', outcome: 'done', detail: { credential: 'opens', rows: { account: 1 } } },
    { kind: 'backup', outcome: 'done', message: '', detail: { parts: 1 } },
  ])
})

function eventArrives(at: number): void {
  client.sql.exec(
    `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
     VALUES ('e', '${LEEDS}', 'object', 'job', 'r', '[]', ${at}, 'd')`,
  )
}

test('the drill fails with a sentence: a copy that does not start, keys that do not open it, backups that are old', async () => {
  await backUp()
  const drill = (startWith = async (): Promise<string | null> => null) => drillCommand({ ...input(), startWith })
  expect(await drill(async () => '/readyz answers 503')).toBe(1)
  expect(said.at(-1)).toBe('The product does not start on the restored copy: /readyz answers 503')
  const keys = env
  env = { ...env, encKeys: newEncKey() }
  expect(await drill()).toBe(1)
  expect(said.at(-1)).toBe('A stored connection of the restored copy does not open with the keys in ENC_KEYS.')
  env = keys
  eventArrives(Date.now() + hours(3))
  expect(await drill()).toBe(1)
  expect(said.at(-1)).toContain('The newest backup is 3 hours older than the newest event')
  const book = openBackupStore(env.databaseFile)
  expect(await book?.store.newestBackup('drill')).toBeNull()
  expect((await book?.store.listBackupRuns(1))?.[0]?.message).toContain('is 3 hours older')
  book?.close()
})

test.each([
  ['pays', { status: 'active' }],
  ['is late with its last month', { status: 'past_due', cancelAtPeriodEnd: true }],
])(
  'who erases an account that %s is told whether its subscription ends, or must be cancelled first',
  async (_, state) => {
    const billing = billingStore(client)
    const { updatedAt } = await billing.ensurePlan(LEEDS, TRIAL, 1)
    await billing.savePlan(LEEDS, updatedAt, { ...state, customerId: 'cus_1', subscriptionId: 'sub_1' }, 2)
    env = { ...env, platform: 'servicem8' }
    const ends = 'Everything of it has stopped. Within minutes its subscription ends, and its data goes.'
    const off = 'Card payments are off. Cancel sub_1 at Stripe first.'
    expect([await eraseCommand(input(LEEDS)), said[0]]).toEqual([0, off])
    expect(client.sql.prepare('SELECT count(*) AS n FROM lease').get()).toEqual({ n: 0 })
    await eraseCommand(input(LEEDS, '--yes'))
    expect(said.slice(-3, -1)).toEqual([off, 'Everything of it has stopped. Within minutes its data goes.'])

    client.sql.exec('DELETE FROM lease')
    env = { ...env, stripe: {} as never }
    await eraseCommand(input(LEEDS, '--yes'))
    expect(said.at(-2)).toBe(ends)
    expect(said.filter((line) => line === off)).toHaveLength(2)
  },
)

test('nothing is restored over a running product, nor over a database that nobody gave up', async () => {
  const name = await backUp()
  const serving = takeLock(inUseLock(env.databaseFile), 'shared')
  expect(await restoreCommand(input('latest', '--replace'))).toBe(1)
  expect(said.at(-1)).toContain('Fieldhook is running on')
  serving?.release()
  expect(await restoreCommand(input())).toBe(1)
  expect(said.at(-1)).toContain('There is a database at')
  client.sql.exec(
    "INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('later', 'Later', 'UTC', 0, 0)",
  )
  const migrated = (by: number) =>
    client.sql.prepare('UPDATE __drizzle_migrations SET created_at = created_at + ?').run(by)
  migrated(-1)
  const refused = expect.stringMatching(/ of an older release\. Start this release on it once/)
  expect([await eraseCommand(input(LEEDS, '--yes')), said.at(-1)]).toEqual([1, refused])
  const moving = takeLock(inUseLock(env.databaseFile), 'alone')
  expect([await eraseCommand(input(LEEDS, '--yes')), said.at(-1)]).toEqual([
    1,
    expect.stringContaining('restore or a move'),
  ])
  moving?.release()
  const stored = 'SELECT max(created_at) AS at, (SELECT count(*) FROM lease) AS notes FROM __drizzle_migrations'
  const unchanged = client.sql.prepare(stored).get()
  migrated(1)
  expect([unchanged, client.sql.prepare(stored).get()]).toEqual([
    { at: expect.any(Number), notes: 0 },
    { at: (unchanged as { at: number }).at + 1, notes: 0 },
  ])
  const running = takeLock(inUseLock(env.databaseFile), 'shared')
  expect([await eraseCommand(input(LEEDS)), said.at(-1)]).toEqual([
    0,
    `Is it this one? npm run erase -- ${LEEDS} --yes`,
  ])
  expect(client.sql.prepare('SELECT count(*) AS n FROM lease').get()).toEqual({ n: 0 })
  expect([await eraseCommand(input(LEEDS, '--yes')), said.at(-2)]).toEqual([
    0,
    'Everything of it has stopped. Within minutes its data goes.',
  ])
  expect(client.sql.prepare('SELECT name FROM lease').all()).toEqual([{ name: `erase|${LEEDS}` }])
  expect([await eraseCommand(input(LEEDS, '--yes')), said.at(-1)]).toEqual([1, expect.stringContaining('already')])
  expect([await eraseCommand(input('nobody', '--yes')), said.at(-1)]).toEqual([1, 'There is no account nobody.'])
  expect([await eraseCommand(input()), said.at(-1)]).toEqual([1, expect.stringContaining('Name one account')])
  running?.release()
  client.sql.exec(
    `INSERT INTO audit_entry (at, account_uuid, actor, action, target, detail, outcome)
     SELECT at, 'later', actor, action, target, detail, outcome FROM audit_entry WHERE action = 'erasure.begun'`,
  )
  client.close()
  expect(await restoreCommand(input(name, '--replace'))).toBe(0)
  expect(said).toContain(`Erased since, and back now: ${LEEDS}. Erase them before the release: npm run erase`)
  expect(restored()).toEqual(['Leeds'])
  const kept = readdirSync(join(root, 'data')).find((file) => file.includes('.before-'))
  const before = new Database(join(root, 'data', kept ?? ''), { readonly: true })
  expect(before.prepare('SELECT count(*) AS n FROM account').get()).toEqual({ n: 2 })
  before.close()
  client = openClient(env.databaseFile, env.migrationsFolder)
})

test('what is damaged, changed, unfinished or of another key is told and changes nothing', async () => {
  const name = await backUp()
  const to = join(root, 'elsewhere.db')
  const fails = async (...args: string[]) => {
    expect(await restoreCommand(input(...args, '--to', to))).toBe(1)
    expect(existsSync(to)).toBe(false)
    return said.at(-1)
  }
  const part = join(place(), name, 'part-0001.age')
  const manifest = join(place(), name, 'manifest.json')
  const good = { part: readFileSync(part), manifest: readFileSync(manifest, 'utf8') }
  const flipped = Buffer.from(good.part)
  flipped.writeUInt8(flipped.readUInt8(flipped.length - 40) ^ 1, flipped.length - 40)
  writeFileSync(part, flipped)
  expect(await fails()).toContain('is damaged: its sha256 is not the one of the manifest')
  writeFileSync(part, good.part)
  writeFileSync(manifest, good.manifest.replace('"account": 1', '"account": 2'))
  expect(await fails()).toContain('its manifest was changed')
  writeFileSync(manifest, good.manifest)
  env = { ...environment({ BACKUP_KEY: (await newBackupKey()).identity }), migrationsFolder: 'db/migrations' }
  expect(await fails(name)).toContain('was not made with any key of BACKUP_KEY')
  env = {
    ...environment({ BACKUP_KEY: `${(await newBackupKey()).identity},${KEY}` }),
    migrationsFolder: 'db/migrations',
  }
  rmSync(manifest)
  expect(await fails(name)).toContain('has no manifest: it broke off')
  expect(await fails('fieldhook-20200101T000000Z-abcdef')).toContain('There is no backup named')
  writeFileSync(manifest, good.manifest)
  expect(await restoreCommand(input(name, '--to', to))).toBe(0)
})

test('old ones go by the calendar; what is not ours neither counts nor goes', async () => {
  const { to, keys } = env.backups ?? { to: { kind: 'folder' as const, path: '' }, keys: [] }
  const parts = { place: placeOf(to), seal: await createBackupSeal(keys), files: databaseFiles }
  const takenAt = async (at: number, origin = 'https://a.example') => {
    const request = { databaseFile: env.databaseFile, version: '1', origin }
    return takeBackup({ ...parts, clock: fixedClock(at) }, request)
  }
  const now = Date.UTC(2026, 10, 22, 12)
  const [early, late] = [await takenAt(now - days(3) - hours(2)), await takenAt(now - days(3))]
  const foreign = await takenAt(now - days(3) + hours(2), 'https://b.example')
  const forged = join(place(), backupName(now - days(3) + hours(3), 'ffffff'))
  cpSync(join(place(), early.name), forged, { recursive: true })
  mkdirSync(join(place(), backupName(now - days(2), 'eeeeee')))
  writeFileSync(join(place(), backupName(now - days(2), 'eeeeee'), 'part-0001.age'), 'half')
  utimesSync(
    join(place(), backupName(now - days(2), 'eeeeee'), 'part-0001.age'),
    now / 1000 - 90_000,
    now / 1000 - 90_000,
  )
  const newest = await takenAt(now)
  expect(newest.removed.sort()).toEqual([early.name, backupName(now - days(2), 'eeeeee')].sort())
  expect(backups()).toEqual([late.name, foreign.name, basename(forged), newest.name].sort())
})

test('with BACKUP_REMOVE=no old ones stay: the store ends them', async () => {
  const settings = environment({ BACKUP_REMOVE: 'no' }).backups
  expect(settings?.removesOld).toBe(false)
  expect(environment({}).backups?.removesOld).toBe(true)
  const { to, keys } = settings ?? { to: { kind: 'folder' as const, path: '' }, keys: [] }
  const parts = { place: placeOf(to), seal: await createBackupSeal(keys), files: databaseFiles }
  const takenAt = (at: number, removesOld: boolean) =>
    takeBackup(
      { ...parts, clock: fixedClock(at) },
      { databaseFile: env.databaseFile, version: '1', origin: 'https://a.example', removesOld },
    )
  const now = Date.UTC(2026, 10, 22, 12)
  const [early, late] = [await takenAt(now - days(3) - hours(2), false), await takenAt(now - days(3), false)]
  const newest = await takenAt(now, false)
  expect(newest.removed).toEqual([])
  expect(backups()).toEqual([early.name, late.name, newest.name].sort())
  expect((await takenAt(now + 1, true)).removed).toContain(early.name)
})

test('one at a time; what an earlier one left behind in a crash is removed', async () => {
  mkdirSync(`${env.databaseFile}.backup-99999`)
  writeFileSync(join(`${env.databaseFile}.backup-99999`, 'copy.db'), 'half')
  const other = takeBackupLock(env.databaseFile)
  expect(await backupCommand(input())).toBe(1)
  expect(said.at(-1)).toBe('Another backup or drill of this database is under way.')
  expect(backups()).toEqual([])
  other?.release()
  await backUp()
  expect(besideDatabase()).toEqual([])
})

test('asked by the product it answers with one line and leaves the writing down to it', async () => {
  expect(await backupCommand(input('--json'))).toBe(0)
  expect(JSON.parse(said.at(-1) ?? '')).toMatchObject({
    outcome: 'done',
    name: expect.any(String),
    detail: { parts: 1 },
  })
  writeFileSync(join(root, 'file'), '')
  env = { ...environment({ BACKUP_TO: 'file/below' }), migrationsFolder: 'db/migrations' }
  expect(await backupCommand(input('--json'))).toBe(1)
  expect(JSON.parse(said.at(-1) ?? '')).toEqual({
    outcome: 'failed',
    sentence: `The folder ${join(root, 'file/below')} of BACKUP_TO cannot be written to, so no backup can be made.`,
  })
  const book = openBackupStore(env.databaseFile)
  expect(await book?.store.listBackupRuns(10)).toEqual([])
  book?.close()
})

test('a new key is one that the configuration takes', async () => {
  expect(await backupCommand(input('--new-key'))).toBe(0)
  expect(said).toEqual([expect.stringMatching(/^# public key: age1/), expect.stringMatching(/^AGE-SECRET-KEY-1/)])
  expect(environment({ BACKUP_KEY: said[1] ?? '' }).backups?.keys).toEqual([said[1]])
})

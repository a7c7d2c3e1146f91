// What `npm run owner` says and changes.
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { connectPostgres } from '#db/postgres/client.server.ts'
import { connectionProblem } from '#db/postgres/server-problems.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { LEEDS } from './platform-server.ts'

test('a member of a firm becomes its owner, once, and the audit log says so; a stranger does not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'owner-'))
  const client = openClient(join(folder, 'fieldhook.db'), 'db/migrations')
  const owner = (...args: string[]) => {
    const env = { ...process.env, DATABASE_URL: '', DATA_FOLDER: folder }
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/owner.mjs', ...args], {
      ...{ env, encoding: 'utf8' },
    })
    return [status, `${stdout}${stderr}`]
  }
  try {
    client.sql
      .prepare('INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES (?, ?, ?, 0, 0)')
      .run(LEEDS.uuid, LEEDS.name, LEEDS.timezone)
    const add = client.sql.prepare(
      'INSERT INTO account_person (account_uuid, staff_uuid, role, since) VALUES (?, ?, ?, ?)',
    )
    add.run(LEEDS.uuid, 'kim', 'owner', 1)
    add.run(LEEDS.uuid, 'alex', 'member', 2)
    expect(owner(LEEDS.uuid)).toEqual([0, 'kim  owner\nalex  member\n'])
    expect(owner(LEEDS.uuid, 'lee')).toEqual([1, expect.stringContaining('Nobody like this has opened Fieldhook')])
    expect(owner('elsewhere')).toEqual([1, expect.stringContaining('Nobody of this account has opened Fieldhook')])
    expect(owner('elsewhere', 'alex')).toEqual([1, expect.stringContaining('Nobody like this')])
    for (let n = 0; n < 2; n++) expect(owner(LEEDS.uuid, 'alex')).toEqual([0, 'kim  owner\nalex  owner\n'])
    expect(
      client.sql.prepare('SELECT account_uuid, actor, action, target, outcome, detail FROM audit_entry').all(),
    ).toEqual([
      {
        ...{ account_uuid: LEEDS.uuid, actor: 'system', action: 'role.changed', target: 'alex', outcome: 'done' },
        detail: '{"role":"owner","by":"the operator"}',
      },
    ])
    for (const wrong of [[], ['--list'], [LEEDS.uuid, 'alex', 'kim']]) {
      expect(owner(...wrong)).toEqual([2, expect.stringContaining('Name an account, and perhaps one of its people')])
    }
    client.sql.exec('DROP TABLE account_person')
    expect(owner(LEEDS.uuid)).toEqual([2, expect.stringContaining('The database lacks tables of this release')])
    rmSync(folder, { recursive: true })
    expect(owner(LEEDS.uuid)).toEqual([2, expect.stringContaining('There is no database at')])
  } finally {
    client.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test.each([['scripts/owner.mjs', LEEDS.uuid], ['scripts/keys.mjs']])(
  'trouble with PostgreSQL is told as by the other commands, without the password: %s',
  (...command) => {
    const said = (DATABASE_URL: string) => {
      const env = { ...process.env, ENC_KEYS: 'k1:', DATABASE_URL }
      const { status, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' })
      return [status, stderr.trim()]
    }
    expect(said('postgres://u:geheim@127.0.0.1:1/x')).toEqual([
      2,
      'No database answers at 127.0.0.1:1/x. Check the address, and that the server runs.',
    ])
    for (const url of ['postgres://u:ge#heim@h/x', 'postgres://u:geheim@h:99999/x', 'postgres://u:geheim@h'])
      expect(said(url)).toEqual([
        2,
        expect.stringMatching(/^DATABASE_URL must name a host and a database\.[^:]*%23\.$/),
      ])
  },
)

test.each([['scripts/owner.mjs', LEEDS.uuid], ['scripts/keys.mjs']])(
  'an address that closes at once is told as by the other commands: %s',
  async (...command) => {
    const door = createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.end()))
    await new Promise<void>((done) => door.listen(0, '127.0.0.1', done))
    const url = `postgres://u:p@127.0.0.1:${(door.address() as AddressInfo).port}/d`
    const env = { ...process.env, ENC_KEYS: 'k1:', DATABASE_URL: url }
    const failed = await promisify(execFile)(process.execPath, command, { env }).catch((error) => error)
    // The words of the others.
    const client = connectPostgres(url)
    const look = client.db.read(() => client.db.prepare('SELECT 1').get())
    const other = connectionProblem(await look().catch((error: unknown) => error), url)
    expect([failed.code, failed.stderr.trim(), other]).toEqual([2, other, expect.stringContaining('ended at once')])
    await client.close()
    await new Promise((done) => door.close(done))
  },
)

// What `npm run keys` reads and says.
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { accountKeyring, accountKeyStore } from '#db/sql/accounts/account-keys.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { readKeyUse, reportKeys } from '../../scripts/keys.mjs'

/** As a person types it; what is not given is not set. */
function keysCommand(settings: Record<string, string>, root = '.') {
  const env = { ...process.env, DATABASE_URL: '', DATA_FOLDER: '', ENC_KEYS: '', ...settings }
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/keys.mjs')], {
    env,
    encoding: 'utf8',
  })
  return { status, said: `${stdout}${stderr}` }
}

test('without DATABASE_URL, the command looks where the product does', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'))
  try {
    openClient(join(folder, 'fieldhook.db'), 'db/migrations').close()
    expect(keysCommand({ DATA_FOLDER: folder, ENC_KEYS: 'k1:x' })).toEqual({
      status: 0,
      said: 'k1  in front: seals what is new. It opens nothing yet.\n',
    })
    writeFileSync(join(folder, 'empty.db'), '')
    expect(keysCommand({ DATABASE_URL: `file:${join(folder, 'empty.db')}`, ENC_KEYS: 'k1:x' })).toEqual({
      status: 2,
      said: 'The database lacks tables of this release: start Fieldhook once (PostgreSQL: or npm run migrate).\n',
    })
    writeFileSync(join(folder, 'sandbox-secrets.json'), '{"encKeys": "cut o')
    expect(keysCommand({ DATA_FOLDER: folder })).toEqual({
      status: 2,
      said: `${join(folder, 'sandbox-secrets.json')} cannot be read: put back what it was.\n`,
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

// Nobody can make a file in /sys, so nothing is installed here.
test.skipIf(process.platform !== 'linux')('in a fresh clone, the command installs its packages first', () => {
  const clone = mkdtempSync(join(tmpdir(), 'keys-'))
  try {
    cpSync('scripts', join(clone, 'scripts'), { recursive: true })
    for (const name of ['package.json', 'package-lock.json', 'vite.config.ts']) cpSync(name, join(clone, name))
    writeFileSync(join(clone, 'there.db'), '')
    symlinkSync('/sys', join(clone, '.cache'))
    const { status, said } = keysCommand({ DATABASE_URL: 'file:there.db', ENC_KEYS: 'k1:x' }, clone)
    expect(said).toMatch(/^\s*Nothing can be written in .*: run this as the user that owns it\.\n$/)
    expect(status).toBe(1)
  } finally {
    rmSync(clone, { recursive: true })
  }
})

const DAY = 86_400_000
const SINCE = Date.UTC(2026, 0, 1)

test('reads the same counts as the product does', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'))
  const file = join(folder, 'test.db')
  const client = openClient(file, 'db/migrations')
  try {
    const encKeys = `k1:${randomBytes(32).toString('base64')}`
    const store = accountKeyStore(client)
    const box = createSecretBox(
      encKeys,
      accountKeyring(client, () => 0),
    )
    expect(await readKeyUse(file)).toEqual({ uses: [], inFront: null })
    await box.seal('credential|leeds|access_token', 'x')
    client.sql.exec(
      `INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('leeds', '', 'UTC', 0, 0)`,
    )
    const old = await createSecretBox(encKeys).seal('credential|leeds|access_token', 'x')
    client.sql
      .prepare(`INSERT INTO credential VALUES ('leeds', ?, ?, 0, '', 'connected', NULL, 1, 0, 0)`)
      .run(old, await box.seal('credential|leeds|refresh_token', 'x'))
    await store.noteFirstKey('k1', SINCE)
    const found = await readKeyUse(file)
    expect(found).toEqual({
      uses: [{ keyId: 'k1', accountKeys: 1, secrets: 1 }],
      inFront: { keyId: 'k1', since: SINCE },
    })
    expect(found.uses).toEqual(await store.keysInUse())
  } finally {
    client.close()
    rmSync(folder, { recursive: true })
  }
})

test('an old key that is still needed, in numbers', () => {
  const report = reportKeys({
    uses: [
      { keyId: 'k2', accountKeys: 1, secrets: 0 },
      { keyId: 'k1', accountKeys: 2, secrets: 1 },
    ],
    inFront: { keyId: 'k2', since: SINCE },
    names: ['k2', 'k1'],
    now: SINCE,
  })
  expect(report).toEqual({
    good: true,
    lines: [
      'k2  in front: seals what is new. It opens the keys of 1 account.',
      'k1  needed: it opens the keys of 2 accounts and 1 secret. The running product moves them to k2 within an hour of its start.',
    ],
  })
})

test.each([
  [0, 'nothing stored needs it. Taken out before 2026-03-02, links to documents sent before the change stop working.'],
  [60 * DAY - 1, 'nothing stored needs it. Taken out before 2026-03-02, links'],
  [60 * DAY, 'nothing needs it: take it out of ENC_KEYS.'],
])('when an old key that opens nothing can be taken out, %i ms after the change', (after, sentence) => {
  const inFront = { keyId: 'k2', since: SINCE }
  const { lines } = reportKeys({ uses: [], inFront, names: ['k2', 'k1'], now: SINCE + after })
  expect(lines).toEqual([
    'k2  in front: seals what is new. It opens nothing yet.',
    expect.stringContaining(`k1  ${sentence}`),
  ])
})

test('a new key that no running product has seen is not a change yet', () => {
  const inFront = { keyId: 'k1', since: SINCE }
  const { lines } = reportKeys({ uses: [], inFront, names: ['k2', 'k1'], now: SINCE + 90 * DAY })
  expect(lines[1]).toBe('k1  nothing stored needs it. k2 has not been in front of a running product yet: wait.')
})

test('a key that is missing is said, and is a failure', () => {
  const report = reportKeys({
    uses: [{ keyId: 'k1', accountKeys: 0, secrets: 3 }],
    inFront: null,
    names: ['k2'],
    now: SINCE,
  })
  expect(report.good).toBe(false)
  expect(report.lines[1]).toBe(
    'k1  MISSING from ENC_KEYS: it is needed to open 3 secrets. Put it back; nothing is lost.',
  )
})

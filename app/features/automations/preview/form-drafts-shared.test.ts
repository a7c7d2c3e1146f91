// Each press may meet another instance: no half-written form is lost between them.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { accountKeyring } from '#db/sql/accounts/account-keys.server.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { POSTGRES_WITHIN_MS } from '#tests/support/postgres.ts'
import { type SharedDatabase, sharedDatabase } from '#tests/support/shared-database.ts'
import { setValue } from '../form/form-change.ts'
import { emptyForm } from '../form/form-state.ts'
import { findDraft, keepDraft } from './form-drafts.server.ts'

const LEEDS = 'aaaaaaaa-0000-4000-8000-000000000001'
const clock = fixedClock()

let database: SharedDatabase | null
const apps: Parameters<typeof keepDraft>[0][] = []
beforeAll(async () => {
  database = await sharedDatabase()
  if (!database) return
  await database.run(
    `INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('${LEEDS}', '', 'UTC', 1, 1)`,
  )
  for (const id of ['one', 'other']) {
    const client = await database.instance(id)
    const keys = `k1:${Buffer.alloc(32, 7).toString('base64')}`
    apps.push({
      store: sqlStore(client, clock),
      clock,
      secrets: createSecretBox(keys, accountKeyring(client, clock.now)),
    })
  }
}, POSTGRES_WITHIN_MS)
afterAll(() => database?.close())

const called = (name: string) => setValue(emptyForm(), 'name', name)

test('what one instance keeps the other finds, goes on with and seals with the same key', async ({ skip }) => {
  const [one, other] = apps
  if (!one || !other) return skip('no PostgreSQL')
  const token = await keepDraft(one, LEEDS, called('Half'))
  expect((await findDraft(other, LEEDS, token))?.values.name).toBe('Half')
  expect(await keepDraft(other, LEEDS, called('More'), token)).toBe(token)
  expect((await findDraft(one, LEEDS, token))?.values.name).toBe('More')
})

test('of ten that both keep at once each is there', async ({ skip }) => {
  const [one, other] = apps
  if (!one || !other) return skip('no PostgreSQL')
  const names = Array.from({ length: 10 }, (_, n) => `Form ${n}`)
  const tokens = await Promise.all(names.map((name, n) => keepDraft(n % 2 ? one : other, LEEDS, called(name))))
  const found = await Promise.all(tokens.map((token, n) => findDraft(n % 2 ? other : one, LEEDS, token)))
  expect(found.map((state) => state?.values.name)).toEqual(names)
})

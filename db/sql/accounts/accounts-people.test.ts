import { afterEach, beforeEach, expect, test } from 'vitest'
import { type AccountsApp, accountsApp } from '#tests/support/accounts-app.ts'
import { BRISBANE, LEEDS } from '#tests/support/platform-server.ts'

let world: AccountsApp
beforeEach(async () => {
  world = await accountsApp()
  await world.store.ensureAccount(BRISBANE)
  await world.store.ensureAccount(LEEDS)
})
afterEach(() => world.close())

/** What a session of this person finds out about itself. */
async function roleOfSession(staffUuid: string | null, accountUuid = BRISBANE.uuid) {
  const tokenHash = `session of ${staffUuid}`
  const now = world.clock.now()
  const account = { accountUuid, staffUuid, proof: 'launch', provedAt: now } as const
  await world.store.openSession({ tokenHash, expiresAt: now + 1_000, account, replaces: [], carryProofsSince: 0 })
  const [session] = await world.store.findSessions([tokenHash])
  await world.store.endSessions([tokenHash])
  return session?.accounts[0]?.role
}

test('the first person of a firm is its owner, whoever comes after is a member, and coming again changes nothing', async () => {
  expect(await world.store.admitPerson(BRISBANE.uuid, 'kim')).toBe('owner')
  expect(await world.store.admitPerson(BRISBANE.uuid, 'alex')).toBe('member')
  expect(await world.store.admitPerson(BRISBANE.uuid, 'kim')).toBe('owner')
  expect(await world.store.admitPerson(LEEDS.uuid, 'alex')).toBe('owner')
  expect(await roleOfSession('kim')).toBe('owner')
  expect(await roleOfSession('alex')).toBe('member')
})

test('without an owner by name everybody acts as one; with one, whoever is not named is a member', async () => {
  expect(await roleOfSession(null)).toBe('owner')
  expect(await roleOfSession('unknown')).toBe('owner')
  await world.store.admitPerson(BRISBANE.uuid, 'kim')
  expect(await roleOfSession(null)).toBe('member')
  expect(await roleOfSession('unknown')).toBe('member')
  expect(await roleOfSession(null, LEEDS.uuid)).toBe('owner')
})

test('owners name others; the last one stays, and people of another firm are not found', async () => {
  await world.store.admitPerson(BRISBANE.uuid, 'kim')
  world.clock.advance(1)
  await world.store.admitPerson(BRISBANE.uuid, 'alex')
  expect(await world.store.changeRole(BRISBANE.uuid, 'kim', 'member')).toBe('last_owner')
  expect(await world.store.changeRole(LEEDS.uuid, 'kim', 'owner')).toBe('unknown')
  expect(await world.store.changeRole(BRISBANE.uuid, 'alex', 'owner')).toBe('changed')
  expect(await world.store.changeRole(BRISBANE.uuid, 'alex', 'owner')).toBe('same')
  expect(await world.store.changeRole(BRISBANE.uuid, 'kim', 'member')).toBe('changed')
  expect((await world.store.listPeople(BRISBANE.uuid)).map(({ staffUuid, role }) => [staffUuid, role])).toEqual([
    ['kim', 'member'],
    ['alex', 'owner'],
  ])
})

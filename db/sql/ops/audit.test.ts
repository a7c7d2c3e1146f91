import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AuditQuery } from '#app/domain/audit.ts'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { days } from '#app/lib/duration.ts'
import { testApp } from '#tests/support/test-app.server.ts'
import type { Client } from '../../sqlite/client.server.ts'
import type { AuditStore, NewAuditEntry } from '../../store/audit.ts'
import { auditStore } from './audit.server.ts'

let base: ReturnType<typeof testApp>
let client: Client
let store: AuditStore

beforeEach(() => {
  base = testApp(fixedClock())
  client = base.client
  store = auditStore(client)
})
afterEach(() => {
  base.close()
})

const ALL: AuditQuery = { actions: null, outcome: null, since: null, until: null, before: null, limit: 50 }

function append(change: Partial<NewAuditEntry> = {}): Promise<void> {
  return store.appendAudit({
    at: 1_000,
    accountUuid: 'a',
    actor: 'session',
    staffUuid: null,
    action: 'sign_in',
    target: '',
    outcome: 'done',
    ip: '192.0.2.1',
    detail: {},
    ...change,
  })
}

test('an account reads its own entries, newest first, page after page', async () => {
  for (let n = 1; n <= 5; n += 1) await append({ at: n, target: `t${n}`, detail: { n, what: "o'clock" } })
  await append({ accountUuid: 'b' })
  await append({ accountUuid: null, actor: 'stranger' })
  const first = await store.listAudit('a', { ...ALL, limit: 2 })
  expect(first.map(({ target }) => target)).toEqual(['t5', 't4'])
  expect(first[0]).toEqual({
    id: expect.any(Number),
    at: 5,
    accountUuid: 'a',
    actor: 'session',
    staffUuid: null,
    action: 'sign_in',
    target: 't5',
    outcome: 'done',
    ip: '192.0.2.1',
    detail: { n: 5, what: "o'clock" },
  })
  const rest = await store.listAudit('a', { ...ALL, before: first[1]?.id ?? 0 })
  expect(rest.map(({ target }) => target)).toEqual(['t3', 't2', 't1'])
})

test('is filtered by act, outcome and time', async () => {
  await append({ at: 1, action: 'webhook.created' })
  await append({ at: 2, action: 'sign_in', outcome: 'refused' })
  await append({ at: 3, action: 'sign_out' })
  const acts = async (query: Partial<AuditQuery>) =>
    (await store.listAudit('a', { ...ALL, ...query })).map(({ action }) => action)
  expect(await acts({ actions: ['sign_in', 'sign_out'] })).toEqual(['sign_out', 'sign_in'])
  expect(await acts({ actions: [] })).toEqual([])
  expect(await acts({ outcome: 'refused' })).toEqual(['sign_in'])
  expect(await acts({ since: 2, until: 3 })).toEqual(['sign_in'])
})

test('the operator sees every account without what it was about', async () => {
  await append({ target: 'only the owner', detail: { what: 'only the owner' }, staffUuid: 'only the owner' })
  await append({ accountUuid: null, actor: 'stranger', action: 'call.refused', outcome: 'refused' })
  const outlines = await store.listAuditOutlines(ALL)
  expect(outlines.map(({ accountUuid }) => accountUuid)).toEqual([null, 'a'])
  expect(JSON.stringify(outlines)).not.toContain('owner')
})

test('what is too old goes in steps, the oldest first', async () => {
  for (let n = 0; n < 5; n += 1) await append({ at: days(n) })
  expect(await store.forgetAuditStep(days(3), 2)).toBe(2)
  expect((await store.listAudit('a', ALL)).map(({ at }) => at / days(1))).toEqual([4, 3, 2])
  expect(await store.forgetAuditStep(days(3), 2)).toBe(1)
  expect(await store.forgetAuditStep(days(3), 2)).toBe(0)
})

test('when a key came to the front stays, so that `npm run keys` does not take its advice back', async () => {
  for (const action of ['keys.put_in_front', 'sign_in']) await append({ at: days(1), action, accountUuid: null })
  expect(await store.forgetAuditStep(days(3), 2)).toBe(1)
  expect((await store.listAuditOutlines(ALL)).map(({ action }) => action)).toEqual(['keys.put_in_front'])
})

test('what strangers were refused goes sooner, and there is never more of it than so many', async () => {
  const refused = { actor: 'stranger', outcome: 'refused', action: 'call.refused' } as const
  for (let n = 0; n < 4; n += 1) {
    await append({ at: days(n), target: `own ${n}` })
    await append({ at: days(n), target: `stranger ${n}`, ...refused })
    await append({ at: days(n), target: `nobody ${n}`, ...refused, accountUuid: null })
  }
  let step = {
    before: days(1),
    belowId: null as number | null,
    kept: { nobodys: 0, accounts: 0 },
    most: { nobodys: 1, accounts: 2 },
  }
  let removed = 0
  for (let done = false; !done; ) {
    const next = await store.forgetRefusedStep(step, 5)
    done = next.done
    removed += next.removed
    step = next
  }
  expect(removed).toBe(2 + 3)
  const left = (await store.listAudit('a', ALL)).map(({ target }) => target)
  expect(left).toEqual(['stranger 3', 'own 3', 'stranger 2', 'own 2', 'own 1', 'own 0'])
  const nobodys = (await store.listAuditOutlines(ALL)).filter(({ accountUuid }) => accountUuid === null)
  expect(nobodys.map(({ at }) => at)).toEqual([days(3)])
})

test('an outcome or an actor that is none is refused by the file itself', async () => {
  await expect(append({ outcome: 'maybe' as never })).rejects.toThrow(/check/i)
  await expect(append({ actor: 'nobody' as never })).rejects.toThrow(/check/i)
})

test('no statement of the product changes an entry, and one removes those that are too old', () => {
  const statements = readdirSync('db/sql', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.server.ts'))
    .map((file) => readFileSync(join('db/sql', file), 'utf8'))
    .join('\n')
  expect(statements).not.toMatch(/UPDATE\s+audit_entry|update\(auditEntry|REPLACE INTO audit_entry/i)
  expect(statements.match(/DELETE FROM audit_entry/g)).toHaveLength(1)
  expect(statements).not.toMatch(/delete\(auditEntry/)
})

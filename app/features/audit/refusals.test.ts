// What was refused is written down, and a flood of it is a number.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asCaller, noteProved } from '#app/lib/caller.server.ts'
import { LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import {
  endRefusalMinute,
  MOST_REFUSALS,
  MOST_REFUSALS_OF_ACCOUNT,
  MOST_REFUSALS_OF_NOBODY,
  recordRefusedAtTheDoor,
  recordRefusedCall,
} from './refusals.server.ts'

const ALL = { actions: null, outcome: null, since: null, until: null, before: null, limit: 500 }

let world: WebhookWorld
let app: WebhookWorld['app']

beforeEach(async () => {
  world = await openWebhookWorld()
  app = world.app
})
afterEach(() => world.close())

async function entries(account = LEEDS) {
  return (await world.app.store.audit.listAudit(account, ALL)).reverse()
}

/** What is in no account's log. */
async function nobodys() {
  return (await world.app.store.audit.listAuditOutlines(ALL))
    .filter(({ accountUuid }) => accountUuid === null)
    .reverse()
}

describe('refusals', () => {
  const refuse = (ip: string, accountUuid: string | null = LEEDS) =>
    recordRefusedCall(app, { method: 'GET', path: '/api/webhooks/12', status: 404, accountUuid }, ip)

  it('are written down so many times a minute, then counted', async () => {
    for (let n = 0; n < MOST_REFUSALS + 25; n += 1) await refuse('192.0.2.1')
    await refuse('192.0.2.2')
    expect(await entries()).toHaveLength(MOST_REFUSALS + 1)
    world.clock.advance(60_000)
    await endRefusalMinute(app)
    await endRefusalMinute(app)
    const told = await entries()
    expect(told).toHaveLength(MOST_REFUSALS + 2)
    expect(told[0]).toMatchObject({
      action: 'call.refused',
      actor: 'stranger',
      outcome: 'refused',
      target: 'GET /api/webhooks/:id',
      ip: '192.0.2.1',
      detail: { status: 404 },
    })
    expect(told.at(-1)).toMatchObject({ action: 'calls.refused', ip: '192.0.2.1', detail: { count: 25 } })
    await refuse('192.0.2.1')
    expect(await entries()).toHaveLength(MOST_REFUSALS + 3)
  })

  it('are counted for each person, also behind one address', async () => {
    const refuseAs = (staffUuid: string, times: number) =>
      asCaller('192.0.2.1', async () => {
        noteProved([{ accountUuid: LEEDS, staffUuid }])
        for (let n = 0; n < times; n += 1) await refuse('192.0.2.1')
      })
    await refuseAs('anna', MOST_REFUSALS + 5)
    await refuseAs('ben', MOST_REFUSALS + 1)
    await refuse('192.0.2.1')
    expect((await entries()).at(-1)).toMatchObject({ action: 'call.refused', actor: 'stranger' })
    world.clock.advance(60_000)
    await endRefusalMinute(app)
    expect((await entries()).slice(-2)).toMatchObject([
      { action: 'calls.refused', actor: 'staff', staffUuid: 'anna', detail: { count: 5 } },
      { action: 'calls.refused', actor: 'staff', staffUuid: 'ben', detail: { count: 1 } },
    ])
  })

  it('from one IPv6 customer are those of one caller, whatever the address', async () => {
    for (let n = 0; n < 200; n += 1) await refuse(`2001:db8:1:2::${n.toString(16)}`)
    expect(await entries()).toHaveLength(MOST_REFUSALS)
    world.clock.advance(60_000)
    await endRefusalMinute(app)
    expect((await entries()).at(-1)).toMatchObject({ action: 'calls.refused', detail: { count: 200 - MOST_REFUSALS } })
  })

  it('that name no account use up nothing of what stands for an account', async () => {
    for (let n = 0; n < 500; n += 1) await refuse(`198.51.${n >> 8}.${n & 255}`, null)
    expect(await nobodys()).toHaveLength(MOST_REFUSALS_OF_NOBODY)
    for (let n = 0; n < 5; n += 1) await refuse('192.0.2.1')
    expect(await entries()).toHaveLength(5)
    world.clock.advance(60_000)
    await endRefusalMinute(app)
    expect((await nobodys()).length).toBeLessThanOrEqual(MOST_REFUSALS_OF_NOBODY + 6)
  })

  it('of one account are so many, and hundreds of accounts take nothing from another', async () => {
    for (let n = 0; n < 500; n += 1) await refuse(`198.51.${n >> 8}.${n & 255}`, 'attacked')
    expect(await entries('attacked')).toHaveLength(MOST_REFUSALS_OF_ACCOUNT)
    for (let n = 0; n < 300; n += 1) await refuse('198.51.100.1', `account ${n}`)
    for (let n = 0; n < 10; n += 1) await refuse('192.0.2.1')
    expect(await entries()).toHaveLength(3)
  })

  it('from more networks than are remembered take nothing from an account: of nobody’s, or of another account’s', async () => {
    for (let n = 0; n < 2_500; n += 1) await refuse(`2001:db8:${n.toString(16)}::1`, null)
    for (let n = 0; n < 2_500; n += 1) await refuse(`2001:db9:${n.toString(16)}::1`, 'attacked')
    for (let n = 0; n < 5; n += 1) await refuse('192.0.2.1')
    expect(await entries()).toHaveLength(5)
    world.clock.advance(60_000)
    await endRefusalMinute(app)
    const counted = (await entries('attacked')).flatMap(({ action, detail }) =>
      action === 'calls.refused' ? [Number(detail.count)] : [],
    )
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(2_500 - MOST_REFUSALS_OF_ACCOUNT)
  })

  it('from many addresses do not fill the file either', async () => {
    for (let n = 0; n < 5_000; n += 1) await refuse(`2001:db8:${n.toString(16)}::1`, null)
    expect(await nobodys()).toHaveLength(MOST_REFUSALS_OF_NOBODY)
    world.clock.advance(60_000)
    await endRefusalMinute(app)
    const told = await nobodys()
    expect(told.length).toBeLessThanOrEqual(MOST_REFUSALS_OF_NOBODY + 6)
    const counted = world.client.sql
      .prepare(
        "SELECT sum(CAST(json_extract(detail, '$.count') AS bigint)) AS n FROM audit_entry WHERE action = 'calls.refused'",
      )
      .get() as { n: number }
    expect(counted.n).toBe(5_000 - MOST_REFUSALS_OF_NOBODY)
  })

  it('of an opening are told as that', async () => {
    await recordRefusedCall(
      app,
      { method: 'POST', path: '/hooks/servicem8', status: 401, accountUuid: null },
      '192.0.2.3',
    )
    expect(await nobodys()).toMatchObject([{ action: 'opening.refused', outcome: 'refused' }])
  })

  it('in front of everything are one a minute for each answer and address, also when many come at once', async () => {
    let lookedUp = 0
    const findWho = async () => {
      lookedUp += 1
      return { accountUuid: LEEDS, accounts: [] }
    }
    const refuse = (status: number, ip: string) =>
      recordRefusedAtTheDoor(app, { method: 'POST', path: '/automation', status }, ip, findWho)
    await Promise.all(Array.from({ length: 40 }, () => refuse(403, '192.0.2.1')))
    await refuse(429, '192.0.2.1')
    await refuse(403, '192.0.2.2')
    expect(lookedUp).toBe(3)
    expect((await entries()).map(({ ip, detail }) => [ip, detail.status])).toEqual([
      ['192.0.2.1', 403],
      ['192.0.2.1', 429],
      ['192.0.2.2', 403],
    ])
    world.clock.advance(60_000)
    await endRefusalMinute(app)
    expect((await entries()).at(-1)).toMatchObject({ action: 'calls.refused', ip: '192.0.2.1', detail: { count: 39 } })
  })
})

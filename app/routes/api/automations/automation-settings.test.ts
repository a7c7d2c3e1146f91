import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '#app/features/automations/settings/automation-settings.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { BRISBANE, LEEDS, STAFF, uuidOf } from '#tests/support/automation-world.server.ts'
import type { Call } from '#tests/support/webhook-calls.server.ts'

const settings = apiRoute('api/automation-settings')
const mutes = apiRoute('api/mutes')
const muteById = apiRoute('api/mutes/:id')

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(() => calls.close())

const UNKNOWN = '{"message":"Not found"}'
const ACCOUNT = `?accountUUID=${LEEDS}`
const NOBODY = '77777777-0000-4000-8000-00000000000c'

describe('/api/automation-settings', () => {
  const ask = (call: Call = {}) => calls.call(settings, `/api/automation-settings${ACCOUNT}`, call)
  const put = (body: unknown, call: Call = {}) => ask({ method: 'PUT', body, ...call })

  test('begins with the defaults, and changes what is named', async () => {
    expect(await ask()).toMatchObject({ status: 200, json: { ...DEFAULT_SETTINGS, defaults: DEFAULT_SETTINGS } })
    const saved = await put({ quietFrom: '20:00', quietTo: ' 7:00', quietForAll: true })
    expect(saved).toMatchObject({ status: 200, json: { quietTo: '07:00', quietForAll: true, ruleDailyCap: 500 } })
    expect(await put({ customerCooldownDays: 7 })).toMatchObject({
      json: { quietTo: '07:00', customerCooldownDays: 7 },
    })
    expect((await ask()).json).toEqual({
      ...DEFAULT_SETTINGS,
      quietTo: '07:00',
      quietForAll: true,
      customerCooldownDays: 7,
      defaults: DEFAULT_SETTINGS,
    })
    const theirs = await calls.call(settings, `/api/automation-settings?accountUUID=${BRISBANE}`, { as: BRISBANE })
    expect(theirs.json).toMatchObject(DEFAULT_SETTINGS)
  })

  test('refuses what cannot be, with the message by the field, and saves nothing of it', async () => {
    const errorsOf = async (body: unknown) => {
      const refused = await put(body)
      expect(refused.status).toBe(400)
      return refused.json.errors
    }
    const time = 'Enter the time as HH:MM, for example 20:00.'
    expect(await errorsOf({ quietFrom: '25:00', quietTo: 7 })).toEqual({ quietFrom: [time], quietTo: [time] })
    expect(await errorsOf({ quietForAll: 'yes' })).toEqual({ quietForAll: ['Enter true or false.'] })
    expect(await errorsOf({ ruleDailyCap: 0 })).toEqual({ ruleDailyCap: ['Enter at least 1.'] })
    expect(await errorsOf({ ruleDailyCap: '9' })).toEqual({ ruleDailyCap: ['Enter a number.'] })
    expect(await errorsOf({ floodPerHour: 1.5 })).toEqual({ floodPerHour: ['Enter a whole number.'] })
    expect(await errorsOf({ customerCooldownDays: 400 })).toEqual({ customerCooldownDays: ['Enter at most 365.'] })
    expect(await errorsOf({ senderStaffUuid: 'Tom' })).toEqual({
      senderStaffUuid: ['Enter the id of a staff member, or null.'],
    })
    expect(await errorsOf({ quiet: true, ruleDailyCap: 3 })).toEqual({ quiet: ['Not allowed'] })
    expect((await put('{')).json).toEqual({ message: 'The body is not valid JSON.' })
    expect((await ask()).json).toMatchObject(DEFAULT_SETTINGS)
  })

  test('the sender is somebody who works there, and what was saved outlives a silent platform', async () => {
    expect(await put({ senderStaffUuid: STAFF.toUpperCase() })).toMatchObject({
      status: 200,
      json: { senderStaffUuid: STAFF },
    })
    expect((await put({ senderStaffUuid: NOBODY })).json.errors.senderStaffUuid[0]).toContain(
      'No active staff member has this id',
    )
    calls.world.platform.fate = () => 'forbidden'
    // The list of staff is kept for an hour.
    calls.world.clock.leap(hours(2))
    const refused = await put({ senderStaffUuid: NOBODY })
    expect([refused.status, refused.json.message]).toEqual([
      502,
      'We could not read your staff from ServiceM8. Choose another sender later.',
    ])
    expect(await put({ senderStaffUuid: STAFF, ruleDailyCap: 40 })).toMatchObject({
      status: 200,
      json: { senderStaffUuid: STAFF, ruleDailyCap: 40 },
    })
    expect(await put({ senderStaffUuid: null })).toMatchObject({ status: 200, json: { senderStaffUuid: null } })
  })

  test('of two changes at once, both are kept', async () => {
    const { facts } = calls.app.planning
    const reader: typeof facts.reader = (account) => {
      const real = facts.reader(account)
      const list: typeof real.list = async (...of) => {
        expect((await put({ ruleDailyCap: 40 })).status).toBe(200)
        return real.list(...of)
      }
      return { ...real, list }
    }
    Object.assign(calls.app, { planning: { ...calls.app.planning, facts: { ...facts, reader } } })
    const both = { senderStaffUuid: STAFF, customerCooldownDays: 3, ruleDailyCap: 40 }
    expect((await put({ senderStaffUuid: STAFF, customerCooldownDays: 3 })).json).toMatchObject(both)
    expect((await ask()).json).toMatchObject(both)
  })

  test('every change is noted with who made it, as far as the session knows', async () => {
    const { store, clock } = calls.world
    await store.accounts.openSession({
      tokenHash: hashToken('toms-browser'),
      expiresAt: clock.now() + hours(8),
      account: { accountUuid: LEEDS, staffUuid: STAFF, proof: 'launch', provedAt: clock.now() },
      replaces: [],
      carryProofsSince: 0,
    })
    await put({ customerCooldownDays: 1 })
    await put({ customerCooldownDays: 1 })
    await put({ quietForAll: true, senderStaffUuid: STAFF }, { as: 'toms-browser' })
    expect(await store.runs.listGuardChanges(LEEDS)).toMatchObject([
      {
        by: 'Tom Finch',
        words: 'Set: quiet hours 20:00 to 08:00, for all automations; staff messages and signatures from Tom Finch.',
      },
      { by: null, words: 'Set: at least 1 day between messages to one number or e-mail.' },
    ])
  })

  test('is for the owner', async () => {
    const none = await put({ ruleDailyCap: 1 }, { as: null })
    expect([none.status, none.text]).toEqual([401, '{"message":"Authentication required"}'])
    for (const answered of [await ask({ as: BRISBANE }), await put({ ruleDailyCap: 1 }, { as: BRISBANE })]) {
      expect([answered.status, answered.text]).toEqual([404, UNKNOWN])
    }
    expect((await ask({ method: 'DELETE' })).status).toBe(405)
    expect((await calls.call(settings, '/api/automation-settings')).status).toBe(400)
  })
})

describe('/api/mutes', () => {
  const list = (call: Call = {}) => calls.call(mutes, `/api/mutes${ACCOUNT}`, call)
  const post = (body: unknown, call: Call = {}) => list({ method: 'POST', body, ...call })
  const drop = (id: unknown, call: Call = {}) =>
    calls.call(muteById, `/api/mutes/${id}`, { method: 'DELETE', params: { id: String(id) }, ...call })

  test('a customer is stopped by name, again is the same one, and is allowed again', async () => {
    calls.world.job(LEEDS)
    const company = uuidOf('company', 1)
    const made = await post({ recordUuid: company })
    const createdAt = new Date(calls.world.clock.now()).toISOString()
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({ kind: 'company', recordUuid: company, name: 'Customer 1', until: null })
    const until = new Date(calls.world.clock.now() + hours(48)).toISOString()
    const again = await post({ kind: 'company', recordUuid: company.toUpperCase(), until })
    expect([again.status, again.json.id, again.json.until]).toEqual([200, made.json.id, until])
    expect(await post({ recordUuid: company, until })).toMatchObject({ status: 200, json: { id: made.json.id, until } })
    expect((await list()).json).toMatchObject([{ id: made.json.id, createdBy: null, name: 'Customer 1' }])
    expect(createdAt <= again.json.createdAt).toBe(true)
    expect(await drop(made.json.id)).toMatchObject({ status: 200, json: { success: true } })
    expect((await list()).json).toEqual([])
    expect((await drop(made.json.id)).text).toBe(UNKNOWN)
    expect((await calls.world.store.runs.listGuardChanges(LEEDS)).map(({ words }) => words)).toEqual([
      'Allowed messages to Customer 1 again.',
      'Stopped messages to Customer 1.',
      'Stopped messages to Customer 1.',
    ])
  })

  test('what customers stopped themselves takes no room, what people stopped does', async () => {
    const { sql } = calls.world.client
    const fill = (by: string) => {
      const mutes = Object.fromEntries(
        Array.from({ length: 2_000 }, (_, n) => [`company:${uuidOf('company', n + 50)}`, { name: '', by }]),
      )
      sql.prepare('DELETE FROM automation_guard').run()
      sql
        .prepare('INSERT INTO automation_guard (account_uuid, guards, updated_at) VALUES (?, ?, 0)')
        .run(LEEDS, JSON.stringify({ mutes }))
      sql
        .prepare(
          `INSERT INTO mute (account_uuid, kind, record_uuid, created_at)
           SELECT ?, 'company', substr(key, 9), 0 FROM json_each(?) WHERE TRUE ON CONFLICT DO NOTHING`,
        )
        .run(LEEDS, JSON.stringify(mutes))
    }
    for (let job = 0; job < 2; job += 1) calls.world.job(LEEDS)
    fill('text of 09:12')
    expect((await post({ recordUuid: uuidOf('company', 1) })).status).toBe(201)
    fill('Tom Finch')
    expect((await post({ recordUuid: uuidOf('company', 2) })).text).toContain('for 2000 customers and jobs already')
  })

  test('a job is stopped too; stopping does not need ServiceM8 to answer', async () => {
    const job = calls.world.job(LEEDS)
    expect(await post({ kind: 'job', recordUuid: job })).toMatchObject({ status: 201, json: { name: 'job 1' } })
    calls.world.platform.fate = () => 'suspended'
    const unnamed = await post({ recordUuid: uuidOf('company', 1) })
    expect(unnamed).toMatchObject({ status: 201, json: { name: null } })
    expect((await list()).json).toHaveLength(2)
    // Said again in that time: the name that is known stays.
    await post({ kind: 'job', recordUuid: job, until: new Date(calls.world.clock.now() + hours(48)).toISOString() })
    const names = (await list()).json.map(({ name }: { name: string | null }) => name)
    expect(names).toEqual([null, 'job 1'])
    // Said again once it answers: the name comes, and stays.
    calls.world.platform.fate = () => 'well'
    for (let times = 0; times < 2; times += 1) {
      const named = await post({ recordUuid: uuidOf('company', 1) })
      expect(named).toMatchObject({ status: 200, json: { id: unnamed.json.id, name: 'Customer 1' } })
    }
    expect((await list()).json[0]).toMatchObject({ name: 'Customer 1' })
    const words = (await calls.world.store.runs.listGuardChanges(LEEDS)).map((change) => change.words)
    expect(words.filter((one) => one.includes(' to '))).toEqual(['Stopped messages to a customer.'])
  })

  test('refuses what is not there and what cannot be', async () => {
    const errorsOf = async (body: unknown) => {
      const refused = await post(body)
      expect(refused.status).toBe(400)
      return refused.json.errors
    }
    expect(await errorsOf({})).toEqual({ recordUuid: ['recordUuid is required'] })
    expect(await errorsOf({ recordUuid: 'x' })).toEqual({ recordUuid: ['recordUuid must be the id of a record'] })
    const recordUuid = uuidOf('company', 9)
    expect(await errorsOf({ recordUuid })).toEqual({ recordUuid: ['There is no such customer in ServiceM8.'] })
    expect(await errorsOf({ recordUuid, kind: 'staff' })).toEqual({ kind: ['kind must be company or job'] })
    expect(await errorsOf({ recordUuid, until: 'soon' })).toEqual({
      until: ['until must be a moment as ISO 8601 writes it, or null'],
    })
    expect(await errorsOf({ recordUuid, until: '2020-01-01T00:00:00Z' })).toEqual({
      until: ['until must be in the future'],
    })
    expect(await errorsOf({ recordUuid, name: 'X' })).toEqual({ name: ['Not allowed'] })
    expect((await list()).json).toEqual([])
  })

  test('is for the owner', async () => {
    calls.world.job(LEEDS)
    const recordUuid = uuidOf('company', 1)
    const { id } = (await post({ recordUuid })).json
    expect((await list({ as: null })).status).toBe(401)
    expect((await drop(id, { as: null })).status).toBe(401)
    for (const answered of [
      await list({ as: BRISBANE }),
      await post({ recordUuid }, { as: BRISBANE }),
      await drop(id, { as: BRISBANE }),
      await drop('x'),
    ]) {
      expect([answered.status, answered.text]).toEqual([404, UNKNOWN])
    }
    expect((await list()).json).toHaveLength(1)
  })
})

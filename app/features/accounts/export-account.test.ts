import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withMethods } from '#app/lib/families.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { arrive, live } from '#tests/support/full-account.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { exportFileName, withoutCapabilities } from './export.ts'
import { exportAccount } from './export-account.server.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})
afterEach(() => world.close())

describe('the copy of everything', () => {
  async function text(accountUuid: string): Promise<string> {
    const pieces = await exportAccount(world.app, accountUuid)
    let whole = ''
    for await (const piece of pieces ?? []) whole += piece
    return whole
  }

  it('is one JSON text with all of it, and nothing secret', async () => {
    const { token } = await live(world, LEEDS)
    await live(world, BRISBANE)
    await world.app.store.accounts.admitPerson(LEEDS, 'staff-1')
    await world.app.store.notices.noteAccountEmail(LEEDS, 'office@leeds.example')
    const whole = await text(LEEDS)
    const copy = JSON.parse(whole)
    expect(copy).toMatchObject({
      format: { name: 'Fieldhook export', version: 1 },
      exportedAt: '2026-01-05T09:00:00.000Z',
      account: { uuid: LEEDS, name: 'Leeds Electrical', email: 'office@leeds.example' },
      people: [{ staffUuid: 'staff-1', role: 'owner', since: '2026-01-05T09:00:00.000Z' }],
      usage: [{ day: '2026-01-05', count: expect.any(Number) }],
      connection: { state: 'connected', scopes: 'vendor read_jobs' },
      plan: { status: 'trial' },
      webhooks: [{ objectType: 'job', address: { url: 'https://receiver.example.com/in' } }],
      forwardingRules: [{ name: 'Second address', address: { url: 'https://second.example.com/in?their=own' } }],
      automations: [{ name: 'Thank you', hasTriggerAddress: true }],
      templates: [],
      mutes: [{ kind: 'company', name: 'Mrs Jones' }],
      auditLog: [{ action: 'sign_in' }],
    })
    expect(copy.events).toHaveLength(3)
    expect(copy.runs).toHaveLength(1)
    // Every moment is one for people, however deep it stands.
    expect(copy.events[0].deliveries[0].dueAt).toBe('2026-01-05T09:00:00.000Z')
    expect(whole).not.toMatch(/"(at|\w+(At|Since|Until))":\s*\d{12}/)
    expect(whole).not.toMatch(/[sS]ealed|nobody-may-read|session-|key-/)
    expect(whole).not.toContain(token)
    expect(whole).not.toContain(hashToken(token))
    expect(whole).not.toContain(BRISBANE)
  })

  it('says of each delivery whose it was, by the number that the file has for the webhook or rule', async () => {
    await live(world, BRISBANE)
    await live(world, LEEDS)
    const copy = JSON.parse(await text(LEEDS))
    const { deliveries } = copy.events[0]
    expect(deliveries).toMatchObject([
      { webhookId: copy.webhooks[0].id, forwardingRuleId: null },
      { webhookId: null, forwardingRuleId: copy.forwardingRules[0].id },
    ])
    expect(deliveries[0]).not.toHaveProperty('endpointId')
    const rule = { kind: 'extra' as const, id: copy.forwardingRules[0].id }
    await world.app.store.endpoints.deleteEndpoint(LEEDS, rule, { endSubscriptions: false, at: world.clock.now() })
    expect(JSON.parse(await text(LEEDS)).events[0].deliveries[1]).toMatchObject({
      webhookId: null,
      forwardingRuleId: null,
    })
  })

  it('is read a few rows at a time, each once, however many there are', async () => {
    const { store } = world.app
    await live(world, LEEDS)
    for (let n = 10; n < 75; n += 1) await arrive(world, LEEDS, 1, n)
    const asked: number[] = []
    const watched: typeof store = withMethods(store, {
      listEventLog: async (uuid, query) => {
        const rows = await store.events.listEventLog(uuid, query)
        asked.push(rows.length)
        return rows
      },
    })
    const pieces = await exportAccount({ ...world.app, store: watched }, LEEDS)
    let whole = ''
    for await (const piece of pieces ?? []) whole += piece
    const seqs = (JSON.parse(whole).events as { seq: number }[]).map(({ seq }) => seq)
    expect(new Set(seqs).size).toBe(68)
    expect(Math.max(...asked)).toBe(20)
  })

  it('there is none of an account that does not exist', async () => {
    expect(await exportAccount(world.app, 'nobody')).toBeNull()
  })

  it.each([
    ['https://h.example/hooks/platform/abcdefghijklmnopqrstuvwxyz', 'https://h.example/hooks/platform/[left out]'],
    ['https://h.example/documents/abcdefghijklmnop.qrs-tuv', 'https://h.example/documents/[left out]'],
    ['/api/automation/5/trigger?key=abcdefghijklmnopqrst', '/api/automation/5/trigger?key=[left out]'],
    ['whsec_abcdefghijkl', '[left out]'],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: Bearer [left out]'],
    ['https://hooks.zapier.com/hooks/catch/1/2', 'https://hooks.zapier.com/hooks/catch/1/2'],
  ])('%s leaves as %s', (given, left) => {
    expect(withoutCapabilities(given)).toBe(left)
  })

  it('is cleaned in time that grows with the text, not with its square', () => {
    const token = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`
    expect(withoutCapabilities(`"${token}"`)).toBe('"[left out]"')
    const began = performance.now()
    withoutCapabilities('-eyJ'.repeat(60_000))
    // 10 s with a search from every hyphen on.
    expect(performance.now() - began).toBeLessThan(1_000)
  })

  it('has a name that every computer takes', () => {
    const at = { now: Date.UTC(2026, 0, 4, 22), zone: 'Australia/Brisbane' }
    expect(exportFileName('Jones & Söhne "Ltd"', at)).toBe('fieldhook-jones-s-hne-ltd-2026-01-05.json')
    expect(exportFileName('', at)).toBe('fieldhook-account-2026-01-05.json')
  })
})

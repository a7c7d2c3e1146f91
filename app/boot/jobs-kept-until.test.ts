// What the pages say about how long things are kept, against the jobs that remove them.
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { App } from '#app/context/app-context.ts'
import { AUDIT_KEPT } from '#app/domain/audit.ts'
import {
  DELIVERED_BODIES,
  EXCHANGES_KEPT,
  eventsKept,
  type KeptId,
  keptUntil,
  RUNS_KEPT,
} from '#app/domain/kept-until.ts'
import { forgetOldRuns } from '#app/features/automations/runs/run-upkeep.server.ts'
import { startFirstPayment } from '#app/features/billing/first-payment.server.ts'
import { forgetOldEvents } from '#app/features/events/delivering/retention.server.ts'
import { days, seconds } from '#app/lib/duration.ts'
import { eraseWithSubscription } from '#app/routes/erase-account.server.ts'
import { movedTables } from '#db/move/tables.ts'
import {
  type BillingWorld,
  BRISBANE,
  billingWorld,
  deliverTold,
  LEEDS as PAYING,
} from '#tests/support/billing-world.server.ts'
import { LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { timedJobs } from './jobs.server.ts'

/** Which row of the page says how long each table is kept. */
const SAID: Record<KeptId, string> = {
  events: 'event delivery attempt replay usage_report',
  bodies: 'event_body',
  waiting: 'delivery',
  runs: 'run run_step rule_verdict seen_ledger message_receipt conversation automation_version',
  messages: 'customer_message',
  replies: 'customer_reply',
  exchanges: 'api_activity',
  audit: 'audit_entry',
  notices: 'notice endpoint_check',
  settings: `account account_mapping account_person account_setting account_key account_load credential subscription webhook
    forwarding_rule endpoint automation automation_template automation_guard template_use listening mute plan renewal_payment`,
  usage: 'usage_day',
  sessions: 'session session_account',
  snapshots: 'record_snapshot poll_cursor touched_record',
  counters: 'endpoint_hour',
  payment_events: 'payment_event',
  short: 'ticket sign_in_attempt placeholder_marker form_draft own_write trigger_call lease',
  backups: 'backup_run',
}

it('each table is in a row of the page', () => {
  const rows = keptUntil({ backups: true }).map(({ id }) => SAID[id])
  const said = new Set(rows.join(' ').split(/\s+/))
  expect(
    movedTables()
      .map(({ name }) => name)
      .filter((name) => !said.has(name)),
  ).toEqual([])
})

describe('the job that erases an account', () => {
  let world: BillingWorld
  let app: App
  beforeEach(() => {
    world = billingWorld()
    app = { ...world.app, rulesChanged: () => {}, callAsAccount: async () => ({}) } as unknown as App
  })
  afterEach(() => world.close())

  async function paying(accountUuid: string) {
    const start = await startFirstPayment(app, accountUuid, { amount: 500 })
    if (start.outcome !== 'pay') throw new Error(start.message)
    world.payments.pay(start.clientSecret)
    await deliverTold(world)
    return (await app.store.billing.findPlan(accountUuid))?.subscriptionId ?? ''
  }
  const erase = () =>
    timedJobs(app, { databaseServer: '' } as never, {} as never, { clear: () => {} } as never)
      .find(({ name }) => name === 'accounts.erase')
      ?.run(new AbortController().signal)
  const left = () => world.rows('SELECT uuid FROM account').map(({ uuid }) => uuid)
  async function begunByOperator() {
    const at = world.clock.now()
    const why = { code: 'account_erased', reason: 'x', at, removeAt: at + seconds(40) }
    await app.store.accounts.beginErasure(PAYING, why)
    world.clock.advance(seconds(41))
  }

  it('ends its subscription first, whoever began it', async () => {
    const subscriptionId = await paying(PAYING)
    const { payments } = world
    await begunByOperator()
    payments.failNext('unavailable', 1, 'setEndsWithPeriod')
    await erase()
    expect(left()).toContain(PAYING)
    await erase()
    expect(payments.subscription(subscriptionId)).toMatchObject({ status: 'active', endsWithPeriod: true })
    expect(left()).toEqual([BRISBANE])
  })

  it('does not wait for the provider where its charges have just ended', async () => {
    const subscriptionId = await paying(BRISBANE)
    expect(await eraseWithSubscription(app, BRISBANE, 'Brisbane Plumbing')).toEqual({
      outcome: 'begun',
    })
    expect(world.payments.subscription(subscriptionId)).toMatchObject({ endsWithPeriod: true })
    world.payments.failNext('unavailable', 10)
    world.clock.advance(seconds(41))
    await erase()
    expect(left()).toEqual([PAYING])
  })

  it('waits while a form left open for what has ended could not be closed', async () => {
    const { payments } = world
    const subscriptionId = await paying(PAYING)
    payments.renew(subscriptionId, 'failed')
    payments.cancel(subscriptionId)
    await begunByOperator()
    payments.failNext('unavailable', 2, 'voidInvoice')
    for (let minute = 0; minute < 2; minute++) {
      await erase()
      expect(left()).toContain(PAYING)
    }
    await erase()
    expect(left()).toEqual([BRISBANE])
    expect(await payments.openInvoices(subscriptionId)).toEqual([])
  })

  it('ends a second subscription too, also where the first already ends with its month', async () => {
    const { payments } = world
    const first = await paying(PAYING)
    const { customerId } = payments.subscription(first)
    const terms = { customerId, accountUuid: PAYING, offer: 'full', creditPence: 0, key: 'second' } as const
    const second = await payments.createSubscription(terms)
    payments.pay(second.latestInvoice?.clientSecret ?? '')
    await payments.setEndsWithPeriod(first, true)
    await deliverTold(world)
    await begunByOperator()
    await erase()
    expect(payments.subscription(second.id)).toMatchObject({ endsWithPeriod: true })
    expect(left()).toEqual([BRISBANE])
  })
})

describe('the jobs', () => {
  let world: WebhookWorld
  beforeEach(async () => {
    world = await openWebhookWorld()
  })
  afterEach(() => world.close())

  const count = (sql: string) => (world.client.sql.prepare(sql).get() as { n: number }).n
  const insertEvent = (seq: number, receivedAt: number) => {
    world.client.sql
      .prepare(
        `INSERT INTO event (seq, id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
         VALUES (?, ?, ?, 'object', 'job', 'job-1', '[]', ?, ?)`,
      )
      .run(seq, `event-${seq}`, LEEDS, receivedAt, `dedupe-${seq}`)
    world.client.sql.prepare('INSERT INTO event_body (seq, body) VALUES (?, ?)').run(seq, '{}')
  }
  /** Pauses of a clock that stands still take their time by being moved on. */
  async function through(work: Promise<void>): Promise<void> {
    let done = false
    const end = work.then(() => {
      done = true
    })
    while (!done) {
      await new Promise((resolve) => setImmediate(resolve))
      if (!done) world.clock.advance(20)
    }
    await end
  }

  it('remove events and texts when it is said, and not a moment before', async () => {
    const now = world.clock.now()
    const moment = 1_000
    insertEvent(1, now - eventsKept(30) - moment)
    insertEvent(2, now - eventsKept(30) + moment)
    insertEvent(3, now - DELIVERED_BODIES - moment)
    insertEvent(4, now - DELIVERED_BODIES + moment)
    await through(forgetOldEvents(world.app, { keepMs: days(30) }))
    expect(world.client.sql.prepare('SELECT seq FROM event ORDER BY seq').pluck().all()).toEqual([2, 3, 4])
    expect(world.client.sql.prepare('SELECT seq FROM event_body ORDER BY seq').pluck().all()).toEqual([4])
  })

  it('remove runs when it is said', async () => {
    const insert = world.client.sql.prepare(
      `INSERT INTO run (account_uuid, automation_id, version, source, object, record_uuids, trigger_data, state, outcome, wake_at, hop, created_at, ended_at)
       VALUES (?, ?, 1, 'webhook', 'job', '[]', '{}', 'done', 'success', 0, 0, ?, ?)`,
    )
    const rule = await world.app.store.automations.createAutomation(LEEDS, {
      name: 'Rule',
      definition: { trigger: { source: 'webhook', object: 'job', event: 'job_created' } } as never,
      active: false,
      nextRunAt: null,
      baselined: true,
      triggerKey: null,
      at: 0,
    })
    for (const age of [RUNS_KEPT + 1_000, RUNS_KEPT - 1_000]) {
      const at = world.clock.now() - age
      insert.run(LEEDS, rule, at, at)
    }
    await through(forgetOldRuns(world.app))
    expect(count('SELECT count(*) AS n FROM run')).toBe(1)
  })

  it('keep as many exchanges as is said', async () => {
    const insert = world.client.sql.prepare(
      `INSERT INTO api_activity (account_uuid, activity_type, endpoint, method, created_at) VALUES (?, 'webhook', '/', 'GET', 0)`,
    )
    world.client.sql.transaction(() => {
      for (let n = 0; n < EXCHANGES_KEPT + 60; n++) insert.run(LEEDS)
    })()
    const exchange = { endpoint: '/', method: 'GET', requestData: null, responseData: null, statusCode: 200 }
    const rest = { userAgent: null, remoteIp: null, durationMs: null, activityType: 'webhook' as const }
    // Looked after at every fiftieth.
    for (let n = 0; n < 50; n++)
      await world.app.store.events.recordApiActivity({ accountUuid: LEEDS, ...exchange, ...rest })
    const left = count('SELECT count(*) AS n FROM api_activity')
    expect([left >= EXCHANGES_KEPT, left <= EXCHANGES_KEPT + 50]).toEqual([true, true])
  })

  it('read their durations nowhere else', () => {
    const jobs = ['events/delivering/retention', 'automations/runs/run-upkeep', 'billing/upkeep', 'audit/audit']
    const durations = jobs.flatMap((job) =>
      [...readFileSync(`app/features/${job}.server.ts`, 'utf8').matchAll(/\bdays\((?!1\)|report\.day )[^)]*\)/g)].map(
        ([text]) => `${job}: ${text}`,
      ),
    )
    expect(durations).toEqual([])
    expect(AUDIT_KEPT).toBe(days(400))
  })
})

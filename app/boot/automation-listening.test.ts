// What became of messages, and what customers answered: the run engine, the listening loop and the sandbox's histories.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { settleUnknown } from '#app/features/automations/history/run-again.server.ts'
import { createListener } from '#app/features/automations/listening/listener.server.ts'
import { executionOf } from '#app/features/automations/runs/run-history.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  BRISBANE,
  LEEDS,
} from '#tests/support/automation-world.server.ts'

let world: AutomationWorld
beforeEach(async () => {
  world = await automationWorld()
})
afterEach(() => world.close())

const TEXT = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'About your job', linkToJob: true })
const MAIL = aStep('s1', 'send_email', {
  ...{
    to: '{entry.0.contact_email}',
    customSubject: 'Your quote',
    contentType: 'manual',
    customBody: 'Hello',
    linkToJob: true,
  },
})

const optionsOf = (account = LEEDS) => world.platform.account(account).options
const looks = () =>
  world.platform.exchanges.filter(({ verb, object }) => verb === 'list' && ['sms', 'email'].includes(object))

async function send(step = TEXT, job = world.job(LEEDS)) {
  const run = await world.start(await world.rule(aRule([step])), [job])
  const engine = world.engine({}, { beatMs: minutes(5) })
  engine.start()
  await world.clock.run(seconds(5))
  return { run, job }
}

/** Time passes, and the loop looks each minute. */
async function listen(ms: number) {
  const listener = createListener(world.app)
  for (const end = world.clock.now() + ms; world.clock.now() < end; ) {
    await world.clock.run(Math.min(minutes(1), end - world.clock.now()))
    const { settled } = await listener.round()
    if (settled > 0) world.app.wakeRuns()
    await world.clock.run(0)
  }
}

async function receiptOf(run: number) {
  return executionOf(await world.run(run)).steps[0]?.items[0]?.receipt
}

describe('receipts', () => {
  test('a text that ServiceM8 shows in the job is delivered, with one call', async () => {
    const { run } = await send()
    expect(await receiptOf(run)).toEqual({ state: 'open', at: null, lookedAt: null })
    await listen(minutes(2))
    expect(await receiptOf(run)).toMatchObject({ state: 'delivered', at: '2026-01-05T09:00:00.000Z' })
    expect(looks()).toHaveLength(1)
  })

  test('one that never arrives is not confirmed after half an hour, and nothing is sent again', async () => {
    optionsOf().undeliveredNext = 1
    const { run } = await send()
    await listen(minutes(25))
    expect(await receiptOf(run)).toMatchObject({ state: 'open' })
    await listen(minutes(10))
    expect(await receiptOf(run)).toMatchObject({ state: 'missing', lookedAt: expect.any(String) })
    await listen(hours(3))
    expect(world.platform.messages).toHaveLength(1)
  })

  test('a late row counts when it comes', async () => {
    optionsOf().historyLateMinutes = 50
    const { run } = await send()
    await listen(minutes(40))
    expect(await receiptOf(run)).toMatchObject({ state: 'missing' })
    await listen(minutes(20))
    expect(await receiptOf(run)).toMatchObject({ state: 'delivered' })
  })

  test('an e-mail is sent on, opened or bounced', async () => {
    const { run } = await send(MAIL)
    await listen(minutes(2))
    expect(await receiptOf(run)).toMatchObject({ state: 'listed' })
    const [row] = [...world.platform.records(LEEDS, 'email').values()]
    if (!row) throw new Error('no e-mail in the history')
    row.opened = '1'
    row.first_opened_at = '2026-01-05 09:30:00'
    await listen(hours(1))
    expect(await receiptOf(run)).toMatchObject({ state: 'opened', at: '2026-01-05T09:30:00.000Z' })
    row.bounced = '1'
    await listen(days(1))
    expect(await receiptOf(run)).toMatchObject({ state: 'bounced' })
  })

  test('a message about no job has no receipt, and nobody looks', async () => {
    const { run } = await send(aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Hello' }))
    expect(await receiptOf(run)).toEqual({ state: 'none', at: null, lookedAt: null })
    await listen(hours(1))
    expect(looks()).toEqual([])
  })

  test('two equal texts about one job are never both taken for one row', async () => {
    const job = world.job(LEEDS)
    const { run: first } = await send(TEXT, job)
    await listen(minutes(2))
    optionsOf().undeliveredNext = 1
    const { run: second } = await send(TEXT, job)
    await listen(hours(1))
    expect([await receiptOf(first), await receiptOf(second)]).toMatchObject([
      { state: 'delivered' },
      { state: 'missing' },
    ])
  })

  test('without the permission everything works as before, and one call an hour asks again', async () => {
    optionsOf().historyRefused = true
    const { run } = await send()
    await send()
    expect(await world.run(run)).toMatchObject({ outcome: 'success' })
    await listen(hours(3))
    expect(await receiptOf(run)).toMatchObject({ state: 'open', lookedAt: null })
    expect(looks().length).toBeLessThanOrEqual(4)
    expect(await world.store.listening.findListening(LEEDS)).toMatchObject({ smsRefusedAt: expect.any(Number) })
    optionsOf().historyRefused = false
    await listen(hours(1.5))
    expect(await world.store.listening.findListening(LEEDS)).toMatchObject({ smsRefusedAt: null })
    expect(await receiptOf(run)).toMatchObject({ state: 'delivered' })
  })

  test('ten thousand rows, rows of other jobs, and other accounts', async () => {
    const { run, job } = await send()
    const more = Array.from({ length: 10_000 }, (_, index) => ({
      ...{ uuid: `row-${index}`, direction: 'outbound', related_object: 'job', related_object_uuid: job },
      ...{ to: '+447000000000', message: `Other ${index}`, timestamp: '2026-01-05 09:00:01' },
    }))
    for (const row of more) world.platform.put(LEEDS, 'sms', row)
    world.platform.put(BRISBANE, 'sms', { ...more[0], uuid: 'theirs' })
    await listen(minutes(2))
    expect(await receiptOf(run)).toMatchObject({ state: 'delivered' })
  })
})

describe('the doubt settles itself', () => {
  const lost = () => {
    world.platform.fate = ({ verb }) => (verb === 'sms' ? 'answer_lost' : 'well')
  }

  test('what may have been sent and is in the history was sent; the steps after it go on', async () => {
    lost()
    const job = world.job(LEEDS)
    const rule = await world.rule(
      aRule([TEXT, aStep('s2', 'create_task', { title: 'Afterwards', description: '' }, true)]),
    )
    const run = await world.start(rule, [job])
    world.engine({}, { beatMs: minutes(5) }).start()
    await world.clock.run(seconds(5))
    expect(await world.run(run)).toMatchObject({ journal: [{ state: 'unknown' }] })
    await listen(minutes(2))
    expect(await world.run(run)).toMatchObject({
      outcome: 'success',
      journal: [{ state: 'sent', sentence: null }, { state: 'sent' }],
    })
    expect(world.platform.messages).toHaveLength(1)
    expect(world.rows('SELECT count(*) AS n FROM customer_message')).toEqual([{ n: 1 }])
  })

  test('what is not there stays with the person, who reads when it was looked for', async () => {
    world.platform.fate = ({ verb }) => (verb === 'sms' ? 'broken' : 'well')
    const { run } = await send()
    await listen(minutes(45))
    expect(await world.run(run)).toMatchObject({
      reason: runReason('may_have_been_sent'),
      journal: [{ state: 'unknown', receipt: { state: 'missing', lookedAt: expect.any(Number) } }],
    })
    world.platform.fate = () => 'well'
    await settleUnknown(world.app, LEEDS, run, { stepId: 's1', itemKey: '0' }, 'send')
    world.app.wakeRuns()
    await world.clock.run(seconds(5))
    await listen(minutes(3))
    expect(world.platform.messages).toHaveLength(1)
    expect(await receiptOf(run)).toMatchObject({ state: 'delivered' })
  })
})

// Long: one stage for all of it. What became of messages, and what customers answered: the run engine, the listening loop and the sandbox's histories.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runReason, runReasonText } from '#app/domain/automations/run-reasons.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import { loadRun } from '#app/features/automations/history/history-page.server.ts'
import { settleUnknown } from '#app/features/automations/history/run-again.server.ts'
import { loadAnswers, settleAnswer } from '#app/features/automations/listening/answers.server.ts'
import { createListener } from '#app/features/automations/listening/listener.server.ts'
import { DEFAULT_ACCOUNT_GUARDS } from '#app/features/automations/rules/guards.ts'
import { executionOf } from '#app/features/automations/runs/run-history.ts'
import { forgetOldRuns } from '#app/features/automations/runs/run-upkeep.server.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  BRISBANE,
  LEEDS,
  STAFF,
  uuidOf,
} from '#tests/support/automation-world.server.ts'

let world: AutomationWorld
let isWorking = false
beforeEach(async () => {
  world = await automationWorld()
  isWorking = false
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
  if (!isWorking) world.engine({}, { beatMs: minutes(5) }).start()
  isWorking = true
  world.app.wakeRuns()
  await world.clock.run(seconds(5))
  return { run, job }
}

/** Time passes, and the loop looks each minute. */
async function listen(ms: number) {
  const listener = createListener({ ...world.app, facts: world.parts.facts })
  for (const end = world.clock.now() + ms; world.clock.now() < end; ) {
    await world.clock.run(Math.min(minutes(1), end - world.clock.now()))
    const { moved } = await listener.round()
    if (moved > 0) world.app.wakeRuns()
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

  test('in a busy account the fresh conversations are looked at first, and the old ones within two days', async () => {
    const fill = world.client.sql.prepare(
      `INSERT INTO conversation (account_uuid, job_uuid, channel, opened_at, last_message_at, tries, next_look_at)
       SELECT ?, 'job-' || value, 'sms', ? - CAST(value AS bigint), ? - CAST(value AS bigint), 0, ? FROM json_each(?)`,
    )
    const now = world.clock.now()
    const ages = Array.from({ length: 2_800 }, (_, n) => (n < 200 ? (n + 1) * minutes(7) : days(1) + n * minutes(6.6)))
    fill.run(LEEDS, now, now, now + days(9), JSON.stringify(ages))
    const old = `job-${ages.at(-1)}`
    world.client.sql.prepare('UPDATE conversation SET next_look_at = 0 WHERE job_uuid = ?').run(old)
    const { job, run } = await send()
    await listen(minutes(2))
    expect(await receiptOf(run)).toMatchObject({ state: 'delivered' })
    const wait = (jobUuid: string) =>
      world.rows(`SELECT next_look_at - looked_at AS ms FROM conversation WHERE job_uuid = '${jobUuid}'`)[0]?.ms
    expect(Number(wait(job)) / minutes(1)).toBeGreaterThan(5)
    expect(Number(wait(job)) / minutes(1)).toBeLessThan(15)
    expect(Number(wait(old)) / hours(1)).toBeLessThan(48)
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

describe('answers', () => {
  let serial = 0
  /** The customer writes back about a job, now or some time ago. */
  function answer(job: string, words: string, more: Record<string, string> = {}, ago = 0) {
    serial += 1
    const uuid = `answer-${serial}`
    const timestamp = localStamp(wallAt(world.clock.now() - ago, 'Europe/London'))
    world.platform.put(LEEDS, more.channel ?? 'sms', {
      ...{ uuid, direction: 'inbound', related_object: 'job', related_object_uuid: job, message: words, timestamp },
      ...more,
    })
    return uuid
  }
  const open = () => world.store.listening.listAnswers(LEEDS, ['open'], 10)
  const staffMessages = () => world.platform.made.filter(({ object }) => object === 'staffmessage')

  /** A second message of another rule to the customer, held back by the quiet hours. */
  async function waitingMessage(job: string) {
    await world.store.runs.saveAccountGuards(
      LEEDS,
      { ...DEFAULT_ACCOUNT_GUARDS, quietFrom: '09:00', quietTo: '18:00', quietForAll: true },
      0,
    )
    const more = { ...TEXT, parameters: { ...TEXT.parameters, message: 'More about your job' } }
    const run = await world.start(await world.rule(aRule([more])), [job])
    world.app.wakeRuns()
    await world.clock.run(seconds(5))
    return run
  }

  test('within five minutes what waits is held with their words; one colleague is told once', async () => {
    const { job } = await send()
    const run = await waitingMessage(job)
    expect(await world.run(run)).toMatchObject({ state: 'waiting' })
    await listen(minutes(10))
    answer(job, 'Please call me first')
    await listen(minutes(5))
    const [row] = (await world.run(run)).journal
    expect(row).toMatchObject({ state: 'held' })
    expect(runReasonText(row?.sentence ?? '')).toBe(
      'They answered on Monday, 5 January at 09:10: "Please call me first"',
    )
    expect(await open()).toMatchObject([{ words: 'Please call me first', jobUuid: job }])
    expect(staffMessages()).toMatchObject([{ fields: { to_staff_uuid: STAFF, regarding_job_uuid: job } }])
    expect(staffMessages()[0]?.fields.message).toContain('"Please call me first"')
    await listen(hours(2))
    expect(staffMessages()).toHaveLength(1)
    expect(world.platform.messages).toHaveLength(1)
  })

  test('what another job of the customer waits for names the job and the day, on its run too', async () => {
    const company_uuid = uuidOf('company', 77)
    const { job } = await send(TEXT, world.job(LEEDS, { company_uuid }))
    const fields = { generated_job_id: '3126' }
    await world.store.records.keepNames(LEEDS, [{ object: 'job', recordUuid: job, fields }], world.clock.now())
    answer(job, 'Please call me first')
    await listen(minutes(3))
    const run = await world.start(await world.rule(aRule([TEXT])), [world.job(LEEDS, { company_uuid })])
    world.app.wakeRuns()
    await world.clock.run(seconds(5))
    const [row] = (await world.run(run)).journal
    const said = 'They answered about job 3126 on Monday, 5 January at 09:00: "Please call me first"'
    expect(runReasonText(row?.sentence ?? '')).toBe(said)
    const shown = await loadRun({ ...world.app, namesOf: async () => new Map() }, LEEDS, run)
    expect(shown?.customers).toMatchObject([{ uuid: company_uuid, mute: null, answered: '3126' }])
  })

  test('"Go on" sends what waits, "Stop" leaves it out', async () => {
    const [first, second] = [await send(), await send()]
    answer(first.job, 'Thanks')
    answer(second.job, 'No thanks')
    await listen(minutes(3))
    const runs = await Promise.all(
      [first, second].map(async ({ job }) => world.start(await world.rule(aRule([TEXT])), [job])),
    )
    world.app.wakeRuns()
    await world.clock.run(seconds(5))
    for (const run of runs) expect(await world.run(run)).toMatchObject({ state: 'held' })
    const answers = await open()
    const toGoOn = answers.find(({ jobUuid }) => jobUuid === first.job)
    const toStop = answers.find(({ jobUuid }) => jobUuid === second.job)
    await settleAnswer(world.app, LEEDS, toGoOn?.id ?? 0, 'went_on', null)
    await settleAnswer(world.app, LEEDS, toStop?.id ?? 0, 'stopped', null)
    await world.clock.run(seconds(5))
    expect(await world.run(runs[0] ?? 0)).toMatchObject({ state: 'done', outcome: 'success' })
    expect(await world.run(runs[1] ?? 0)).toMatchObject({
      outcome: 'nothing',
      journal: [{ state: 'skipped', sentence: runReason('stopped_after_answer') }],
    })
    expect(world.platform.messages).toHaveLength(3)
    expect(await settleAnswer(world.app, LEEDS, toStop?.id ?? 0, 'went_on', null)).toEqual({ outcome: 'not_open' })
  })

  test('an answer that holds a message stays with its buttons until somebody decides', async () => {
    const [held, free] = [await send(), await send()]
    answer(held.job, 'Not now')
    answer(free.job, 'Thanks')
    await listen(minutes(3))
    const run = await world.start(await world.rule(aRule([TEXT])), [held.job])
    world.app.wakeRuns()
    await world.clock.run(seconds(5))
    const shown = async () => (await loadAnswers(world.app, LEEDS)).answers
    expect(await shown()).toHaveLength(2)
    world.clock.leap(days(15))
    const [kept, ...others] = await shown()
    expect([kept?.words, others]).toEqual(['Not now', []])
    world.clock.leap(days(85))
    const forgotten = forgetOldRuns(world.app)
    await world.clock.run(minutes(1))
    await forgotten
    expect(await open()).toMatchObject([{ words: 'Not now' }])
    expect(await settleAnswer(world.app, LEEDS, kept?.id ?? 0, 'went_on', null)).toMatchObject({ messages: 1 })
    await world.clock.run(minutes(1))
    expect(await world.run(run)).toMatchObject({ state: 'done', outcome: 'success' })
  })

  test('an answer that nobody has read yet is found just before the message leaves', async () => {
    const { job } = await send()
    await listen(minutes(2))
    const rule = await world.rule(aRule([TEXT]))
    answer(job, 'Do not come')
    const run = await world.start(rule, [job])
    world.app.wakeRuns()
    await world.clock.run(seconds(5))
    expect(await world.run(run)).toMatchObject({ state: 'held' })
    expect(world.platform.messages).toHaveLength(1)
  })

  test('an answer about one job holds a message about another job of the customer', async () => {
    const customer = 'cccccccc-0000-4000-8000-000000000001'
    const job = world.job(LEEDS, { company_uuid: customer })
    await send(TEXT, job)
    answer(job, 'Wait')
    const other = world.job(LEEDS, { company_uuid: customer })
    const run = await world.start(await world.rule(aRule([TEXT])), [other])
    world.app.wakeRuns()
    await world.clock.run(seconds(5))
    expect(await world.run(run)).toMatchObject({ state: 'held' })
  })

  test.each(['STOP', ' Stop! ', '"unsubscribe."'])('%s mutes the customer until somebody allows it', async (words) => {
    const { job } = await send()
    const [run] = world.rows('SELECT trigger_data AS data FROM run')
    const conditionMatching = { totalRecords: 1, matchedRecords: [{ companyName: 'Joan Hartley' }] }
    const triggerData = JSON.stringify({ ...JSON.parse(String(run?.data)), conditionMatching })
    world.client.sql.prepare('UPDATE run SET trigger_data = ?').run(triggerData)
    answer(job, words)
    await listen(minutes(3))
    const [mute] = await world.store.runs.listMutes(LEEDS, world.clock.now())
    expect(mute).toMatchObject({ kind: 'company', until: null, by: 'text of 09:00', name: 'Joan Hartley' })
    const [change] = await world.store.runs.listGuardChanges(LEEDS)
    expect(change?.words).toBe('Stopped messages to Joan Hartley: the customer asked for it.')
    expect(world.rows('SELECT action, actor FROM audit_entry')).toContainEqual({
      action: 'customer.muted',
      actor: 'system',
    })
    expect(await open()).toEqual([])
    expect(staffMessages()).toHaveLength(1)
    const muted = await world.start(await world.rule(aRule([TEXT])), [job])
    world.app.wakeRuns()
    await world.clock.run(seconds(5))
    expect(await world.run(muted)).toMatchObject({ journal: [{ state: 'skipped', sentence: { code: 'muted' } }] })
    await world.store.runs.removeMute(LEEDS, mute?.id ?? 0)
    await listen(hours(1))
    expect(await world.store.runs.listMutes(LEEDS, world.clock.now())).toEqual([])
  })

  test('STOP counts for every customer with that number, until somebody allows it', async () => {
    const toOne = aStep('s1', 'send_sms', { to: '+447700900123', message: 'About your job', linkToJob: true })
    const withNumber = (number: number, company_uuid: string) => {
      const job = world.job(LEEDS, { company_uuid })
      const uuid = uuidOf('contact', number)
      world.platform.put(LEEDS, 'jobcontact', { uuid, job_uuid: job, type: 'JOB', mobile: '07700 900123' })
      return job
    }
    const { job } = await send(toOne, withNumber(1, 'cccccccc-0000-4000-8000-000000000001'))
    answer(job, 'STOP', { from_number: '+44 7700 900123' })
    await listen(minutes(3))
    const rule = await world.rule(aRule([toOne]))
    const uuid = 'cccccccc-0000-4000-8000-000000000002'
    const other = withNumber(2, uuid)
    const textOther = async () => {
      const run = await world.start(rule, [other])
      world.app.wakeRuns()
      await world.clock.run(seconds(5))
      const { customers } = (await loadRun({ ...world.app, namesOf: async () => new Map() }, LEEDS, run)) ?? {}
      return { row: (await world.run(run)).journal[0], customers }
    }
    const stopped = await textOther()
    expect(stopped.row).toMatchObject({ state: 'skipped', sentence: { code: 'muted' } })
    const [mute] = await world.store.runs.listMutes(LEEDS, world.clock.now())
    expect(stopped.customers).toMatchObject([{ uuid, mute: { id: mute?.id }, mutedBy: 'number' }])
    await world.store.runs.removeMute(LEEDS, mute?.id ?? 0)
    const allowed = await textOther()
    expect(allowed.row).toMatchObject({ state: 'sent' })
    expect(allowed.customers).toMatchObject([{ uuid, mute: null }])
    const { now } = world.clock
    const { id } = await world.store.runs.saveMute(LEEDS, { kind: 'job', recordUuid: other, until: null }, now())
    expect((await textOther()).customers).toMatchObject([{ uuid, mute: { id }, mutedBy: 'job' }])
  })

  test('a doubled row is one answer, one from before the message is none, and one without a time counts', async () => {
    const job = world.job(LEEDS)
    answer(job, 'An old question', {}, days(1))
    await send(TEXT, job)
    answer(job, 'Yes')
    answer(job, 'Yes')
    await listen(minutes(3))
    expect(await open()).toMatchObject([{ words: 'Yes' }])
    answer(job, 'When?', { timestamp: '' })
    await listen(minutes(6))
    expect(await open()).toHaveLength(2)
    expect(staffMessages()).toHaveLength(2)
  })

  test('while ServiceM8 does not answer the last look, the message waits; a refusal stops nothing', async () => {
    const { job } = await send()
    const rule = await world.rule(aRule([TEXT]))
    const run = await world.start(rule, [job])
    world.platform.fate = ({ verb, object }) => (verb === 'list' && object === 'sms' ? 'broken' : 'well')
    world.app.wakeRuns()
    await world.clock.run(seconds(5))
    expect(await world.run(run)).toMatchObject({ state: 'waiting' })
    world.platform.fate = () => 'well'
    optionsOf().historyRefused = true
    await world.clock.run(minutes(5))
    expect(await world.run(run)).toMatchObject({ outcome: 'success' })
    expect(world.platform.messages).toHaveLength(2)
  })

  test('the conversation is over after a fortnight, and nobody looks any more', async () => {
    const { job } = await send()
    await listen(minutes(2))
    world.clock.leap(days(14))
    await listen(hours(1))
    const before = looks().length
    answer(job, 'Hello?')
    await listen(hours(2))
    expect(looks()).toHaveLength(before)
    expect(await open()).toEqual([])
  })
})

test('after the clock of the machine was set back by half an hour, an answer still holds messages, and looks stay rare', async () => {
  const job = world.job(LEEDS)
  await send(TEXT, job)
  expect(world.platform.messages).toHaveLength(1)
  // What a look before the clock was set back has left: it was made "in half an hour".
  const future = world.clock.now() + minutes(30)
  world.client.sql.exec(`UPDATE conversation SET looked_at = ${future}`)
  const timestamp = localStamp(wallAt(world.clock.now(), 'Europe/London'))
  world.platform.put(LEEDS, 'sms', {
    uuid: 'said-1',
    direction: 'inbound',
    related_object_uuid: job,
    message: 'Please ring me first',
    timestamp,
  })
  const before = world.platform.exchanges.length
  const listener = createListener({ ...world.app, facts: world.parts.facts })
  for (let n = 0; n < 120; n++) {
    await world.clock.run(seconds(1))
    await listener.round()
  }
  const made = world.platform.exchanges.slice(before).filter(({ object }) => object === 'sms').length
  await send(TEXT, job)
  expect(world.platform.messages).toHaveLength(1)
  expect(made).toBeLessThanOrEqual(3)
})

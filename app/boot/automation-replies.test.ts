// Customer replied: an answer in the sandbox's history sets off a rule, once.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMeasures } from '#app/adapters/measures.server.ts'
import type { Measures } from '#app/adapters/measures.ts'
import type { App } from '#app/context/app-context.ts'
import type { WebhookTrigger } from '#app/domain/automations/rule.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import { exportAccount } from '#app/features/accounts/export-account.server.ts'
import { createListener } from '#app/features/automations/listening/listener.server.ts'
import { backtestRule } from '#app/features/automations/preview/backtest.server.ts'
import { previewRun } from '#app/features/automations/preview/preview.server.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import { type AutomationWorld, aRule, aStep, automationWorld, LEEDS } from '#tests/support/automation-world.server.ts'
import { WORK_AT_ONCE } from '#tests/support/work-at-once.ts'
import { measureStore } from './observe/measured-parts.server.ts'

let world: AutomationWorld
let isWorking = false
/** By the metrics. */
let started = 0
const measures: Measures = {
  ...createMeasures({ version: '', routes: [] }),
  runsStarted(count) {
    started += count
  },
}
beforeEach(async () => {
  world = await automationWorld()
  isWorking = false
  started = 0
})
afterEach(() => world.close())

const TEXT = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'About your job', linkToJob: true })

/** An automation writes to the customer, which begins a conversation. */
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
  const store = measureStore(world.store, measures)
  const listener = createListener({ ...world.app, store, facts: world.parts.facts })
  for (const end = world.clock.now() + ms; world.clock.now() < end; ) {
    await world.clock.run(Math.min(minutes(1), end - world.clock.now()))
    const { moved } = await listener.round()
    if (moved > 0) world.app.wakeRuns()
    await world.clock.run(0)
  }
}

const NOTE = aStep('s1', 'create_task', { title: 'They said {reply}', description: '' })

function onAnswer(match: 'any' | 'words' | 'yes' | 'no' = 'any', more: Partial<WebhookTrigger> = {}) {
  return {
    ...aRule([]).trigger,
    type: 'customer_replied',
    reply: { match, words: 'later' },
    ...more,
  } as WebhookTrigger
}

let serial = 0
function told(job: string, words: string, more: Record<string, string> = {}) {
  serial += 1
  const timestamp = localStamp(wallAt(world.clock.now(), 'Europe/London'))
  world.platform.put(LEEDS, 'sms', {
    ...{ uuid: `said-${serial}`, direction: 'inbound', related_object_uuid: job, message: words, timestamp },
    ...more,
  })
}
const NOTE_OF_JOB = aStep('s1', 'create_task', { title: 'Look', description: '' })
const tasks = () => world.platform.made.filter(({ object }) => object === 'task').map(({ fields }) => fields.name)
const runs = (rule: number) => world.rows('SELECT state, outcome FROM run WHERE automation_id = ?', rule)

test('each answer starts it once, with the words; nothing of our own does', async () => {
  const rule = await world.rule(aRule([NOTE], { trigger: onAnswer() }))
  const { job } = await send()
  await listen(minutes(3))
  expect(runs(rule)).toEqual([])
  told(job, 'Can you come "early"?')
  told(job, 'Can you come "early"?')
  world.platform.put(LEEDS, 'sms', {
    ...{ uuid: 'colleague', direction: 'outbound', related_object_uuid: job, message: 'Yes', timestamp: '' },
  })
  await listen(minutes(6))
  await world.clock.run(seconds(5))
  expect(tasks()).toEqual(['They said Can you come "early"?'])
  await listen(hours(2))
  expect(runs(rule)).toHaveLength(1)
  told(job, 'Hello?')
  await listen(minutes(6))
  expect(runs(rule)).toHaveLength(2)
  expect(started).toBe(2)
  const [run] = world.rows('SELECT trigger_data FROM run WHERE automation_id = ? ORDER BY id', rule)
  expect(JSON.parse(String(run?.trigger_data)).description).toBe(
    'The customer answered "Can you come "early"?" by text',
  )
})

test('an answer from before the rule, an old one read late, and a deleted job start nothing', async () => {
  const { job } = await send()
  told(job, 'First')
  await world.clock.run(minutes(2))
  const rule = await world.rule(aRule([NOTE], { trigger: onAnswer() }))
  await listen(minutes(10))
  expect(runs(rule)).toEqual([])
  world.platform.put(LEEDS, 'job', { ...world.platform.records(LEEDS, 'job').get(job), uuid: job, active: '0' })
  told(job, 'Second')
  await listen(minutes(10))
  expect(runs(rule)).toEqual([])
  expect(world.rows('SELECT verdict FROM rule_verdict')).toEqual([{ verdict: 'not_triggered' }])
  expect(world.rows('SELECT count(*) AS n FROM customer_reply WHERE judge_at IS NOT NULL')).toEqual([{ n: 0 }])
})

test('only the words it waits for, only where its conditions hold, and STOP starts nothing', async () => {
  const later = await world.rule(aRule([NOTE], { trigger: onAnswer('words') }))
  const when = { field: 'status', operator: 'equals', value: 'Completed', logicalOperator: 'AND' } as const
  const done = await world.rule(aRule([NOTE], { trigger: onAnswer(), conditions: [when] }))
  const { job } = await send(TEXT, world.job(LEEDS, { status: 'Quote' }))
  told(job, 'Hello')
  await listen(minutes(3))
  expect([runs(later), runs(done)]).toEqual([[], []])
  expect(world.rows('SELECT verdict FROM rule_verdict ORDER BY automation_id')).toEqual([
    { verdict: 'not_triggered' },
    { verdict: 'not_matched' },
  ])
  told(job, 'A bit LATER please')
  await listen(minutes(6))
  expect(runs(later)).toHaveLength(1)
  told(job, 'stop')
  await listen(minutes(6))
  expect(runs(later)).toHaveLength(1)
})

test('a yes is dealt with: its own thanks leaves, what waited goes on, and an older question still holds', async () => {
  const thanks = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Thank you', linkToJob: true })
  await world.rule(aRule([thanks], { trigger: onAnswer('yes') }))
  const { job } = await send()
  told(job, 'Yes please')
  await listen(minutes(3))
  await world.clock.run(seconds(5))
  expect(world.platform.messages.map(({ text }) => text)).toEqual(['About your job', 'Thank you'])
  expect(await world.store.listening.listAnswers(LEEDS, ['rule'], 5)).toMatchObject([{ words: 'Yes please' }])
  const again = await world.start(await world.rule(aRule([TEXT])), [job])
  world.app.wakeRuns()
  await world.clock.run(seconds(5))
  expect(await world.run(again)).toMatchObject({ state: 'done', outcome: 'success' })
  told(job, 'What time?')
  told(job, 'yes')
  await listen(minutes(6))
  const held = await world.start(await world.rule(aRule([TEXT])), [job])
  world.app.wakeRuns()
  await world.clock.run(seconds(5))
  expect(await world.run(held)).toMatchObject({ state: 'held' })
})

test('several short texts in a row start it each time; a rule that writes back stops before it goes round', async () => {
  const colleague = await world.rule(aRule([NOTE], { trigger: onAnswer() }))
  const thanks = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Got it', linkToJob: true })
  const machine = await world.rule(aRule([thanks], { trigger: onAnswer(), once: 'change' }))
  const { job } = await send()
  for (const words of ['Hi', 'about tomorrow', 'make it ten', 'not nine', 'thanks']) told(job, words)
  await listen(minutes(6))
  expect(runs(colleague)).toHaveLength(5)
  const reasons = world.rows(
    'SELECT id, paused_reason_code AS why FROM automation WHERE id IN (?, ?)',
    colleague,
    machine,
  )
  expect(reasons).toEqual([
    { id: colleague, why: null },
    { id: machine, why: 'breaker' },
  ])
})

test('a job that cannot be read at present is read later, and the answer is judged once', async () => {
  const rule = await world.rule(aRule([NOTE], { trigger: onAnswer() }))
  const { job } = await send()
  told(job, 'Hello')
  world.platform.fate = ({ verb, object }) => (verb === 'read' && object === 'job' ? 'broken' : 'well')
  await listen(minutes(10))
  expect(runs(rule)).toEqual([])
  world.platform.fate = () => 'well'
  await listen(minutes(20))
  expect(runs(rule)).toHaveLength(1)
  const [answer] = await world.store.listening.answersSince(LEEDS, 0, 5)
  const nothing = { requests: [], verdicts: [], takes: true, at: world.clock.now() }
  expect(await world.store.listening.settleJudged(LEEDS, answer?.id ?? 0, nothing)).toBeNull()
})

const MAIL = aStep('s1', 'send_email', {
  ...{ to: '{entry.0.contact_email}', contentType: 'manual', customSubject: 'Your quote', customBody: 'Hello' },
  linkToJob: true,
})

function onReceipt(type: 'message_opened' | 'message_failed', settleMinutes = 0) {
  return { ...aRule([]).trigger, type, settleMinutes } as WebhookTrigger
}

test('an opened e-mail starts a rule once, after its wait, and not again while it stays opened', async () => {
  const rule = await world.rule(aRule([NOTE_OF_JOB], { trigger: onReceipt('message_opened', 60) }))
  await send(MAIL)
  await listen(minutes(2))
  const [row] = [...world.platform.records(LEEDS, 'email').values()]
  if (!row) throw new Error('no e-mail in the history')
  row.opened = '1'
  row.first_opened_at = localStamp(wallAt(world.clock.now(), 'Europe/London'))
  await listen(minutes(30))
  expect(runs(rule)).toEqual([{ state: 'queued', outcome: null }])
  await listen(hours(3))
  expect(runs(rule)).toEqual([{ state: 'done', outcome: 'success' }])
  expect(started).toBe(1)
})

test('a text that is not confirmed starts nothing while the history shows none, or where it may not be sent', async () => {
  const rule = await world.rule(aRule([NOTE_OF_JOB], { trigger: onReceipt('message_failed'), once: 'change' }))
  world.platform.account(LEEDS).options.undeliveredNext = 1
  await send()
  await listen(minutes(40))
  expect(world.rows('SELECT state FROM message_receipt')).toEqual([{ state: 'missing' }])
  await send()
  await listen(minutes(5))
  world.platform.fate = ({ verb }) => (verb === 'sms' ? 'broken' : 'well')
  await send()
  await listen(hours(1))
  expect(world.rows('SELECT state FROM message_receipt ORDER BY id').map(({ state }) => state)).toEqual([
    ...['missing', 'delivered', 'missing'],
  ])
  expect(runs(rule)).toEqual([])
  const why = world.rows('SELECT verdict, detail FROM rule_verdict').map(({ detail }) => JSON.parse(String(detail)))
  expect(why).toContainEqual({ sentence: 'Fieldhook cannot tell whether the message arrived.' })
})

test('a text that is not confirmed starts a rule once; what arrives starts none', async () => {
  const rule = await world.rule(aRule([NOTE_OF_JOB], { trigger: onReceipt('message_failed'), once: 'change' }))
  await send()
  await listen(minutes(5))
  world.platform.account(LEEDS).options.undeliveredNext = 1
  await send()
  await listen(minutes(40))
  const [run] = world.rows('SELECT trigger_data FROM run WHERE automation_id = ?', rule)
  expect(JSON.parse(String(run?.trigger_data)).description).toBe('Our text was not confirmed after 30 minutes')
  await listen(hours(1))
  expect(runs(rule)).toHaveLength(1)
  await send()
  await listen(hours(1))
  expect(runs(rule)).toHaveLength(1)
})

test('an e-mail that comes back starts a rule, once', async () => {
  const rule = await world.rule(aRule([NOTE_OF_JOB], { trigger: onReceipt('message_failed'), once: 'change' }))
  await send(MAIL)
  await listen(minutes(2))
  expect(runs(rule)).toEqual([])
  const [row] = [...world.platform.records(LEEDS, 'email').values()]
  if (!row) throw new Error('no e-mail in the history')
  row.bounced = '1'
  await listen(hours(2))
  const found = world.rows('SELECT trigger_data FROM run WHERE automation_id = ?', rule)
  expect(found.map(({ trigger_data }) => JSON.parse(String(trigger_data)).description)).toEqual([
    'Our e-mail came back',
  ])
})

test('the look back counts the answers that would have started it, with their words', async () => {
  const { job } = await send()
  told(job, 'Ring me later please')
  const other = await send()
  told(other.job, 'Thanks')
  await listen(minutes(6))
  const rule = await world.rule(aRule([NOTE], { trigger: onAnswer('words') }))
  const row = await world.store.automations.findAutomation(LEEDS, rule)
  if (!row) throw new Error('no rule')
  const found = await backtestRule({ ...world.app, planning: world.parts, apart: WORK_AT_ONCE } as unknown as App, row)
  expect(found).toMatchObject({ kind: 'backtest', count: 1, rows: [{}] })
  expect(JSON.stringify(found)).toContain('They said Ring me later please')
})

test('the preview of the next e-mail to an address that sent one back says so', async () => {
  const { run, job } = await send(MAIL)
  const { triggerData } = await world.run(run)
  const warnings = async () => {
    const preview = await previewRun(world.app, world.parts, {
      ...{ accountUuid: LEEDS, automation: { id: 1, name: 'Quote', version: 1 }, definition: aRule([MAIL]) },
      ...{ object: 'job', recordUuids: [job], groupKey: null, triggerData },
    })
    return preview.outcome === 'previewed' ? preview.steps[0]?.warnings.map(({ sentence }) => sentence) : preview
  }
  expect(await warnings()).toEqual([])
  await listen(minutes(2))
  for (const row of world.platform.records(LEEDS, 'email').values()) row.bounced = '1'
  await listen(hours(2))
  expect(await warnings()).toEqual([
    expect.stringMatching(/^The e-mail to .+ came back\. Correct the address in ServiceM8\.$/),
  ])
})

test('the copy of everything holds what customers answered, each once', async () => {
  const { job } = await send()
  for (let n = 1; n <= 45; n += 1) told(job, `Answer ${n}`)
  await listen(minutes(6))
  let whole = ''
  for await (const piece of (await exportAccount(world.app, LEEDS)) ?? []) whole += piece
  const { answers, runs } = JSON.parse(whole)
  expect(answers.map(({ words }: { words: string }) => words)).toEqual(
    Array.from({ length: 45 }, (_, index) => `Answer ${45 - index}`),
  )
  expect(answers[0]).toMatchObject({
    jobUuid: job,
    channel: 'sms',
    state: 'open',
    writtenAt: expect.stringMatching(/Z$/),
  })
  expect(runs[0].journal[0].receipt).toMatchObject({ state: 'delivered' })
})

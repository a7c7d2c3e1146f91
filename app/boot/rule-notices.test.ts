// Long: one stage for every way an automation goes wrong. Real runs on a real file, minute by minute, and the mails that go out.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Mailer, MailerResult, OutgoingMail } from '#app/adapters/mailer.ts'
import type { App } from '#app/context/app-context.ts'
import type { Step, StoredRule } from '#app/domain/automations/rule.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { reasonCode } from '#app/domain/reason.ts'
import { dayText } from '#app/domain/time/moments.ts'
import { createListener } from '#app/features/automations/listening/listener.server.ts'
import { ruleJson } from '#app/features/automations/rules/rule-json.ts'
import { resumeRules } from '#app/features/automations/runs/run-pause.server.ts'
import { createBaseline } from '#app/features/automations/triggers/baseline.server.ts'
import { createPoller } from '#app/features/automations/triggers/poll.server.ts'
import { loadAccountNews } from '#app/features/endpoints/notices/account-news.server.ts'
import { listNotices, listRuleNotices } from '#app/features/notices/list-notices.server.ts'
import { DEFAULT_MAIL_CHOICE } from '#app/features/notices/notice-mail.ts'
import { noticeReason } from '#app/features/notices/notice-reasons.ts'
import { type MailApp, sendDueMails } from '#app/features/notices/send-mails.server.ts'
import { watchAccounts } from '#app/features/notices/watch-accounts.server.ts'
import { learnAddresses, tellWeek, watchRules } from '#app/features/notices/watch-rules.server.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  BRISBANE,
  LEEDS,
} from '#tests/support/automation-world.server.ts'
import { deliveryRows } from '#tests/support/delivery-rows.server.ts'
import { memoryPayments } from '#tests/support/memory-payments.ts'
import { pollTrigger } from '#tests/support/record-facts.ts'

let world: AutomationWorld
beforeEach(async () => {
  world = await automationWorld()
  await connect()
})
afterEach(() => world.close())

const connect = (scope = 'vendor publish_email', account = LEEDS) =>
  world.store.accounts.saveCredential(account, {
    accessTokenSealed: 'a',
    refreshTokenSealed: 'r',
    expiresAt: world.clock.now() + days(999),
    scope,
  })

const TEXT = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Thank you.', linkToJob: true })
const REFUSED = { outcome: 'refused', status: 400, message: '+447700900001 is not a valid mobile number' } as const

/** From now on the platform refuses every text, or takes it. */
function refuseTexts(yes: boolean): void {
  world.platform.fate = ({ verb }) => (yes && verb === 'sms' ? REFUSED : 'well')
}

/** What the job does each minute. */
async function round(app: MailApp = world.app): Promise<void> {
  await watchRules(app)
  await watchAccounts({ ...app, payments: memoryPayments(world.clock) })
  await sendDueMails(app)
}

async function pass(ms: number, app: MailApp = world.app): Promise<void> {
  for (let passed = 0; passed < ms; passed += minutes(1)) {
    await world.clock.run(minutes(1))
    await round(app)
  }
}

async function leap(ms: number): Promise<void> {
  await world.clock.run(ms)
  await round()
}

const mails = () => world.platform.messages.filter(({ sent }) => 'subject' in sent).map(({ sent }) => sent)
const subjects = () => mails().map(({ subject }) => subject)
const shown = async () => (await listRuleNotices(world.app, LEEDS)).map(({ title }) => title)

async function thanks(steps: Step[] = [TEXT]): Promise<number> {
  return world.rule(aRule(steps), LEEDS, 'Thank the customer')
}

/** Starts that many runs and lets the engine do them. */
async function run(rule: number, times = 1, version = 1): Promise<void> {
  for (let made = 0; made < times; made++) await world.start(rule, [world.job(LEEDS)], { version })
  const engine = world.engine()
  engine.start()
  await world.clock.run(seconds(5) + times * 300)
  await engine.drain()
}

describe('messages that do not arrive', () => {
  /** One text is sent, and its job's history is looked at until nothing new is expected. */
  async function text(rule: number, undelivered: boolean) {
    world.platform.account(LEEDS).options.undeliveredNext = undelivered ? 1 : 0
    await run(rule)
    await look(minutes(31))
  }

  async function look(ms: number) {
    const listener = createListener({ ...world.app, facts: world.parts.facts })
    for (let passed = 0; passed < ms; passed += minutes(1)) {
      await world.clock.run(minutes(1))
      await listener.round()
      await round()
    }
  }

  test('are told once a day with their number, for a week; the page leads to the latest', async () => {
    const rule = await thanks()
    await text(rule, false)
    expect(await shown()).toEqual([])
    await text(rule, true)
    expect(await shown()).toEqual(['Thank the customer sent 1 message that did not arrive'])
    expect((await listRuleNotices(world.app, LEEDS))[0]).toMatchObject({ kind: 'undelivered', count: 1, runId: 2 })
    expect(mails()).toEqual([
      {
        to: 'office@example.test',
        subject: 'Thank the customer sent 1 message that did not arrive',
        textBody: expect.stringMatching(
          /did not arrive\.\n\nCheck the phone number or e-mail address of the customer\.\n\nSee the latest: https:\/\/hooks\.example\.com\/automation\/runs\/2\?/,
        ),
      },
    ])
    await text(rule, true)
    expect(await shown()).toEqual(['Thank the customer sent 2 messages that did not arrive'])
    expect(mails()).toHaveLength(1)
    await leap(days(1))
    expect(subjects().at(-1)).toBe('Thank the customer sent 2 messages that did not arrive')
    await leap(days(7))
    expect(await shown()).toEqual([])
    expect(mails()).toHaveLength(2)
  })

  test('are not told while the history of the account has shown no message at all', async () => {
    const rule = await thanks()
    await text(rule, true)
    expect(await shown()).toEqual([])
  })

  test('that are found after all are told no more', async () => {
    const rule = await thanks()
    await text(rule, false)
    world.platform.account(LEEDS).options.historyLateMinutes = 50
    await text(rule, false)
    expect(await shown()).toHaveLength(1)
    await look(minutes(60))
    expect(await shown()).toEqual([])
  })

  test('of an automation that was switched off are told no more', async () => {
    const rule = await thanks()
    await text(rule, false)
    await text(rule, true)
    await world.store.automations.changeAutomation(LEEDS, rule, { active: false, at: world.clock.now() })
    await round()
    expect(await shown()).toEqual([])
  })
})

describe('an automation that fails', () => {
  test('tells its owner within two minutes, on the page and by one mail that names no customer', async () => {
    const rule = await thanks()
    refuseTexts(true)
    const began = world.clock.now()
    await run(rule)
    await pass(minutes(1))
    expect(world.clock.now() - began).toBeLessThan(minutes(2))
    expect(mails()).toEqual([
      {
        to: 'office@example.test',
        subject: 'Thank the customer failed',
        textBody: expect.stringMatching(
          /^Thank the customer failed at 09:00\.\n\nStep 1, Send SMS: ServiceM8 rejected the values\.\n\nOpen it: https:\/\/hooks\.example\.com\/automation\/runs\/1\?accountUUID=/,
        ),
      },
    ])
    expect(String(mails()[0]?.textBody)).not.toMatch(/4477|Margaret|Smith|Dundee/)
    const [notice] = await listRuleNotices(world.app, LEEDS)
    // The page is for those who are signed in: it says what ServiceM8 said.
    expect(notice).toMatchObject({ name: 'Thank the customer', what: 'failed', automationId: rule, runId: 1 })
    expect(notice?.sentence).toContain('is not a valid mobile number')
    expect(notice?.mail).toBe('E-mail sent to office@example.test.')
  })

  test.each([
    [404, 'its address refused it.'],
    [500, 'its address did not take it.'],
  ])('names the address that a notification went to, not ServiceM8: %d', async (status, why) => {
    const url = 'https://example.com/told'
    world.outbound.when(url, { status })
    const rule = await thanks([aStep('s1', 'send_notification', { url, message: 'Done.' })])
    const engine = world.engine()
    engine.start()
    await world.start(rule, [world.job(LEEDS)])
    for (let passed = 0; passed < 30; passed++) {
      world.clock.leap(hours(1))
      await world.clock.run(seconds(5))
    }
    await round()
    const text = String(mails()[0]?.textBody)
    expect(text).toContain(why)
    expect(text).not.toMatch(/ServiceM8|nobody answered/)
  })

  test('is told once a step went on failing for 12 minutes, not a second time at its end, and that it works again', async () => {
    const url = 'https://example.com/told'
    const rule = await thanks([aStep('s1', 'send_notification', { url, message: 'Done.' })])
    const engine = world.engine()
    engine.start()
    const goOn = async (ms: number, status: number) => {
      world.outbound.when(url, { status })
      await pass(ms)
    }
    await world.start(rule, [world.job(LEEDS)])
    await goOn(minutes(12), 500)
    expect([await shown(), subjects()]).toEqual([[], []])
    await goOn(minutes(3), 500)
    expect(await shown()).toEqual(['Thank the customer failed'])
    expect((await listRuleNotices(world.app, LEEDS))[0]).toMatchObject({ count: 1, runId: 1 })
    expect(mails()).toHaveLength(1)
    expect(mails()[0]?.textBody).toContain('its address did not take it. We keep trying.')
    await goOn(minutes(30), 200)
    expect(await shown()).toEqual(['Thank the customer works again'])
    expect(subjects()).toEqual(['Thank the customer failed', 'Thank the customer works again'])

    await world.start(rule, [world.job(LEEDS)])
    for (let passed = 0; passed < 30; passed++) {
      await goOn(minutes(1), 500)
      world.clock.leap(hours(1))
    }
    await goOn(minutes(1), 500)
    expect(await world.run(2)).toMatchObject({ outcome: 'failure' })
    expect((await listRuleNotices(world.app, LEEDS))[0]).toMatchObject({ kind: 'failing', count: 1, runId: 2 })
    expect(mails()).toHaveLength(3)
    expect((await listRuleNotices(world.app, LEEDS))[0]?.sentence).not.toContain('We keep trying')
  })

  /** From now on the platform answers 500 to these calls, or to none. */
  function breaks(...verbs: string[]): void {
    world.platform.fate = ({ verb }) => (verbs.includes(verb) ? 'broken' : 'well')
  }

  async function going(steps?: Step[], times = 1): Promise<void> {
    const rule = await thanks(steps)
    world.engine().start()
    for (let made = 0; made < times; made++) await world.start(rule, [world.job(LEEDS)])
  }

  /** An hour and a minute at a time. */
  async function passDay(): Promise<void> {
    for (let passed = 0; passed < 30; passed++) {
      await pass(minutes(1))
      world.clock.leap(hours(1))
    }
    await pass(minutes(1))
  }

  const told = async () => (await listRuleNotices(world.app, LEEDS)).map(({ count, sentence }) => ({ count, sentence }))
  const KEEP_TRYING = expect.stringContaining('We keep trying.')
  const OVER = expect.not.stringContaining('We keep trying')

  test('is told as early while its records cannot be read: each run counts once, however it ends', async () => {
    breaks('list', 'read')
    await going([TEXT], 2)
    await pass(minutes(15))
    expect(await told()).toEqual([{ count: 2, sentence: KEEP_TRYING }])
    await passDay()
    expect(await world.run(2)).toMatchObject({ state: 'done', outcome: 'failure' })
    expect(await told()).toEqual([{ count: 2, sentence: OVER }])
    expect(mails()).toHaveLength(1)
  })

  test.each([
    ['it is tried again', ['create']],
    ['it cannot be looked for either', ['create', 'list', 'read', 'update', 'sms']],
  ])('is told as early while nobody knows whether it was done, and %s', async (_what, verbs) => {
    await going([aStep('s1', 'create_task', { title: 'Call', description: '' })])
    world.platform.fate = ({ verb }) => {
      if (verb === 'create') breaks(...verbs)
      return verb === 'create' ? 'broken' : 'well'
    }
    await pass(minutes(15))
    expect((await world.run(1)).journal[0]).toMatchObject({ state: 'sending', errorClass: 'unclear' })
    expect(await told()).toEqual([{ count: 1, sentence: KEEP_TRYING }])
  })

  test('keeps no “We keep trying” once its run is cancelled, or needs a person', async () => {
    const cancel = (id: number) =>
      world.store.runs.cancelRun(LEEDS, id, { reason: 'By hand.', rowReason: 'Not sent.', at: world.clock.now() })
    const url = 'https://example.com/told'
    world.outbound.when(url, { status: 500 })
    await going([aStep('s1', 'send_notification', { url, message: 'Done.' })])
    await pass(minutes(15))
    expect(await told()).toEqual([{ count: 1, sentence: KEEP_TRYING }])
    expect(await cancel(1)).toEqual({ outcome: 'cancelled' })
    await pass(minutes(2))
    expect([await told(), subjects()]).toEqual([[], ['Thank the customer failed']])

    // Of two runs, one is given up at its next try: nobody knows whether its text went out.
    await going([TEXT], 2)
    breaks('list', 'read')
    await pass(minutes(15))
    expect(await told()).toEqual([{ count: 2, sentence: KEEP_TRYING }])
    // Either may have told last; the notice speaks of that one.
    const last = (await listRuleNotices(world.app, LEEDS))[0]?.runId ?? 0
    await cancel(last === 2 ? 3 : 2)
    expect(await told()).toEqual([{ count: 2, sentence: KEEP_TRYING }])
    world.platform.fate = ({ verb }) => (verb === 'sms' ? 'answer_lost' : 'well')
    await pass(minutes(30))
    expect((await world.run(last)).journal[0]).toMatchObject({ state: 'unknown' })
    expect(await told()).toEqual([{ count: 2, sentence: OVER }])
  })

  test('is one trouble, with one mail, also when the way its runs fail changes', async () => {
    const url = 'https://example.com/told'
    world.outbound.when(url, { status: 500 })
    await going([aStep('s1', 'send_notification', { url, message: 'Done.' })], 2)
    await pass(minutes(15))
    expect(await told()).toEqual([{ count: 2, sentence: KEEP_TRYING }])
    const first = (await told())[0]?.sentence
    world.outbound.when(url, { fails: 'timeout' })
    await pass(minutes(45))
    expect(await told()).toEqual([{ count: 2, sentence: KEEP_TRYING }])
    expect((await told())[0]?.sentence).not.toBe(first)
    await passDay()
    expect(await world.run(1)).toMatchObject({ outcome: 'failure' })
    expect(await told()).toEqual([{ count: 2, sentence: OVER }])
    expect(mails()).toHaveLength(1)
  })

  test('counts a run anew after another one worked, and stays while one of both is tried', async () => {
    const url = 'https://example.com/told'
    const start = (status: number) => {
      world.outbound.when(url, { status })
      return world.start(1, [world.job(LEEDS)])
    }
    world.outbound.when(url, { status: 500 })
    await going([aStep('s1', 'send_notification', { url, message: 'Done.' })])
    await pass(minutes(15))
    await start(200)
    await pass(minutes(1))
    expect(await shown()).toEqual(['Thank the customer works again'])
    await start(500)
    await pass(minutes(15))
    expect(await told()).toEqual([{ count: 1, sentence: KEEP_TRYING }])
    await pass(minutes(20))
    expect(await told()).toEqual([{ count: 2, sentence: KEEP_TRYING }])
    await world.store.runs.cancelRun(LEEDS, 1, { reason: 'By hand.', rowReason: 'Not sent.', at: world.clock.now() })
    expect(await told()).toEqual([{ count: 2, sentence: expect.any(String) }])
  })

  test('keeps no “We keep trying” of a step that needs a person while another step waits', async () => {
    const url = 'https://example.com/told'
    world.outbound.when(url, { status: 500 })
    breaks('list', 'read')
    await going([TEXT, aStep('s2', 'send_notification', { url, message: 'Done.' })])
    await pass(minutes(15))
    expect(await told()).toEqual([{ count: 1, sentence: KEEP_TRYING }])
    world.platform.fate = ({ verb }) => (verb === 'sms' ? 'answer_lost' : 'well')
    // At the next try, half an hour after the fourth; the notification has failed for a short time then.
    for (let passed = 0; passed < 40 && (await world.run(1)).journal[0]?.state !== 'unknown'; passed++)
      await pass(minutes(1))
    await pass(minutes(1))
    expect(await world.run(1)).toMatchObject({ state: 'waiting', journal: [{ state: 'unknown' }, { state: 'failed' }] })
    expect((await told()).map(({ sentence }) => sentence)).not.toContainEqual(KEEP_TRYING)
  })

  test('keeps no “We keep trying” of a run that a late payment leaves to a person', async () => {
    const url = 'https://example.com/told'
    world.outbound.when(url, { status: 500 })
    await going([aStep('s1', 'send_notification', { url, message: 'Done.' })])
    await pass(minutes(15))
    expect(await told()).toEqual([{ count: 1, sentence: KEEP_TRYING }])
    const now = world.clock.now()
    const { updatedAt } = await world.store.billing.ensurePlan(LEEDS, days(14), now)
    const release = { runsDueBefore: now + hours(1), reason: runReason('too_old') }
    await world.store.billing.savePlan(LEEDS, updatedAt, {}, now, release)
    expect(await world.run(1)).toMatchObject({ state: 'held' })
    expect(await told()).toEqual([])
  })

  test('of a later step is its own trouble, with its own mail', async () => {
    const url = 'https://example.com/told'
    world.outbound.when(url, { status: 500 })
    refuseTexts(true)
    const steps = [aStep('s0', 'send_notification', { url, message: 'Done.' }), { ...TEXT, waitForPrevious: true }]
    await going(steps)
    await pass(minutes(15))
    world.outbound.when(url, { status: 200 })
    await pass(minutes(30))
    expect(await world.run(1)).toMatchObject({ outcome: 'partial' })
    expect(subjects()).toEqual(['Thank the customer failed', 'Thank the customer failed'])
    expect(mails()[1]?.textBody).toContain('Step 2, Send SMS')
    expect((await told()).map(({ sentence }) => sentence)).toEqual([OVER])
    await run(1)
    await pass(minutes(3))
    expect(world.rows('SELECT fingerprint, count FROM notice ORDER BY id')).toEqual([
      { fingerprint: expect.stringMatching(/^failing:1:/), count: 1 },
      { fingerprint: expect.stringMatching(/^failing:2:/), count: 2 },
    ])
    expect(mails()).toHaveLength(2)
  })

  test('of two steps that fail for different reasons are two troubles, of one outage one', async () => {
    const url = 'https://example.com/told'
    world.outbound.when(url, { status: 500 })
    refuseTexts(true)
    await going([aStep('s0', 'send_notification', { url, message: 'Done.' }), TEXT])
    await pass(minutes(15))
    expect(world.rows('SELECT fingerprint FROM notice ORDER BY fingerprint')).toEqual([
      { fingerprint: expect.stringMatching(/^failing:1:/) },
      { fingerprint: expect.stringMatching(/^failing:2:/) },
    ])
    for (let waited = 0; waited < 22; waited++) await pass(hours(1))
    expect(world.rows('SELECT count FROM notice')).toEqual([{ count: 1 }, { count: 1 }])
    expect(subjects()).toEqual(['Thank the customer failed', 'Thank the customer failed'])
  })

  test('makes one mail of 200 equal failures, and one notice that counts them', async () => {
    const rule = await thanks()
    refuseTexts(true)
    for (let made = 0; made < 10; made++) {
      await run(rule, 20)
      await pass(minutes(10))
    }
    expect(subjects()).toEqual(['Thank the customer failed 20 times'])
    expect(await shown()).toEqual(['Thank the customer failed 200 times'])
  })

  test('is told of again the next day while it goes on, and not when nothing more happened', async () => {
    const rule = await thanks()
    refuseTexts(true)
    await run(rule)
    await pass(minutes(2))
    await leap(days(2))
    expect(subjects()).toHaveLength(1)
    await run(rule, 2)
    await leap(minutes(1))
    expect(subjects()).toEqual(['Thank the customer failed', 'Thank the customer failed 3 times'])
    await run(rule, 5)
    await leap(hours(23))
    expect(subjects()).toHaveLength(2)
  })

  test('says once that it works again, also when it fails and works by turns', async () => {
    const rule = await thanks()
    refuseTexts(true)
    await run(rule)
    await pass(minutes(1))
    refuseTexts(false)
    await run(rule, 3)
    await pass(minutes(2))
    expect(subjects()).toEqual(['Thank the customer failed', 'Thank the customer works again'])
    expect(mails()[1]?.textBody).toContain('It had failed since 09:00.')
    expect(await shown()).toEqual(['Thank the customer works again'])
    for (const refused of [true, false, true, false]) {
      refuseTexts(refused)
      await run(rule)
      await pass(minutes(2))
    }
    expect(subjects()).toHaveLength(2)
    refuseTexts(true)
    await run(rule)
    await leap(days(1))
    expect(subjects()).toHaveLength(3)
  })

  test('says that it was changed since, until a run shows whether that helped', async () => {
    const rule = await thanks()
    refuseTexts(true)
    await run(rule)
    await pass(minutes(1))
    const sentence = async () => (await listRuleNotices(world.app, LEEDS))[0]?.sentence
    await world.store.automations.changeAutomation(LEEDS, rule, { name: 'Thanks', at: world.clock.now() })
    expect(await sentence()).toContain('is not a valid mobile number')
    const edited = aRule([
      { ...TEXT, waitForPrevious: false },
      aStep('s2', 'create_task', { title: 'Ring', description: '' }),
    ])
    await world.store.automations.changeAutomation(LEEDS, rule, { definition: edited, at: world.clock.now() })
    expect(await sentence()).toBe('You have changed it since. Its next run shows whether it works.')
    await run(rule, 1, 3)
    expect(await sentence()).toContain('is not a valid mobile number')
    expect(await shown()).toEqual(['Thanks failed 2 times'])
    refuseTexts(false)
    await world.clock.run(minutes(1))
    await run(rule, 1, 3)
    await pass(minutes(2))
    expect(await shown()).toEqual(['Thanks works again'])
  })

  test('stands, however many addresses have news', async () => {
    const rule = await thanks()
    refuseTexts(true)
    await run(rule)
    await pass(minutes(1))
    const rows = deliveryRows(world.client)
    const mail = { state: 'pending', dueAt: world.clock.now() + days(1) } as const
    const notice = { kind: 'failing', since: 5, reason: '', at: world.clock.now(), mail } as const
    for (let n = 0; n <= 100; n++) {
      const of = { accountUuid: LEEDS, endpointId: rows.endpoint({ account: LEEDS }), latestId: null }
      expect(await world.store.notices.raiseNotice(of, notice)).toBe(true)
    }
    expect(await shown()).toEqual(['Thank the customer failed'])
  })

  test('is another trouble when another step fails', async () => {
    const rule = await thanks([TEXT, aStep('s2', 'create_task', { title: 'Ring', description: '' })])
    refuseTexts(true)
    await run(rule)
    world.platform.fate = ({ verb }) =>
      verb === 'create' ? { outcome: 'refused', status: 400, message: 'No.' } : 'well'
    await run(rule)
    await pass(minutes(1))
    expect((await listRuleNotices(world.app, LEEDS)).map(({ sentence }) => sentence.slice(0, 8))).toEqual([
      'Step 2, ',
      'Step 1, ',
    ])
    expect(subjects()).toHaveLength(2)
  })

  test('stays quiet on the page once it is dismissed, for a day at a time while it goes on', async () => {
    const rule = await thanks()
    refuseTexts(true)
    await run(rule)
    await pass(minutes(1))
    const [notice] = await listRuleNotices(world.app, LEEDS)
    const dismiss = () => world.store.notices.dismissNotice(LEEDS, notice?.id ?? 0, world.clock.now())
    await dismiss()
    await run(rule)
    expect(await shown()).toEqual([])
    await leap(days(1))
    expect(await shown()).toEqual(['Thank the customer failed 2 times'])
    await dismiss()
    await leap(hours(23))
    expect(await shown()).toEqual([])
    await leap(hours(1))
    refuseTexts(false)
    expect(await shown()).toEqual(['Thank the customer failed 2 times'])
    await dismiss()
    await run(rule)
    await leap(days(2))
    expect(await shown()).toEqual(['Thank the customer works again'])
  })

  test('is forgotten when it is switched off or deleted', async () => {
    const rule = await thanks()
    refuseTexts(true)
    await run(rule)
    await world.store.automations.changeAutomation(LEEDS, rule, { active: false, at: world.clock.now() })
    await pass(minutes(1))
    expect(await shown()).toEqual([])
    expect(subjects()).toEqual([])
  })
})

describe('runs that wait for a person', () => {
  test('are counted once they waited an hour, and gone when nobody has to decide', async () => {
    const rule = await thanks()
    const held = runReason('ask_first')
    // They are due in the evening only: the question is asked now.
    const wakeAt = world.clock.now() + hours(9)
    for (const _ of [1, 2, 3]) await world.start(rule, [world.job(LEEDS)], { held, wakeAt })
    await leap(minutes(59))
    expect(await shown()).toEqual([])
    await leap(minutes(2))
    expect(await shown()).toEqual(['Thank the customer has 3 runs waiting for you'])
    expect(mails()[0]).toMatchObject({
      subject: 'Thank the customer has 3 runs waiting for you',
      textBody: expect.stringMatching(/waiting for you since 09:00\..*\n\n.*\n\nDecide here: .*status=needs_you/s),
    })
    await world.start(rule, [world.job(LEEDS)], { held })
    await leap(minutes(1))
    expect(await shown()).toEqual(['Thank the customer has 4 runs waiting for you'])
    expect(subjects()).toHaveLength(1)
    for (const id of await world.store.runs.heldRuns(LEEDS, rule)) {
      await world.store.runs.cancelRun(LEEDS, id, {
        reason: runReason('discarded'),
        rowReason: '',
        at: world.clock.now(),
      })
    }
    await leap(minutes(1))
    expect(await shown()).toEqual([])
    expect(subjects()).toHaveLength(1)
  })
})

/** A mail server that does as it is told. */
function mailServer(answers: MailerResult[] = []): Mailer & { got: OutgoingMail[] } {
  const got: OutgoingMail[] = []
  return {
    got,
    async send(mail) {
      const answer = answers.shift() ?? { outcome: 'ok' as const }
      if (answer.outcome === 'ok') got.push(mail)
      return answer
    },
  }
}

describe('what stops several automations', () => {
  const loseSignIn = async (account = LEEDS) => {
    const credential = await world.store.accounts.findCredential(account)
    await world.store.accounts.markReconnect(account, credential?.generation ?? 0, 'Gone.')
  }

  test('is one notice that names all of them, by the mail server when the sign-in is lost, and once that it is over', async () => {
    await thanks()
    await world.rule(aRule([TEXT]), LEEDS, 'Remind')
    await learnAddresses(world.app)
    const mailer = mailServer()
    const app = { ...world.app, mailer }
    await loseSignIn()
    await pass(minutes(5), app)
    expect(mailer.got).toEqual([
      {
        to: 'office@example.test',
        subject: 'Your automations and webhooks need ServiceM8 to be connected again',
        text: expect.stringMatching(
          /It stops: Remind and Thank the customer\.\n\nSign in again: https:\/\/hooks\.example\.com\/api\/oauth\/authorize\?accountuuid=/,
        ),
      },
    ])
    await connect()
    await pass(minutes(3), app)
    expect(subjects()).toEqual(['Your automations and webhooks run again'])
    expect(mailer.got).toHaveLength(1)
  })

  test('also where there are webhooks alone', async () => {
    const webhook = {
      kind: 'webhook',
      objectType: 'job',
      fields: '',
      fieldFilter: '',
      secretSealed: 's',
      url: 'https://crm.example.test/',
    } as const
    await world.store.endpoints.saveEndpoint(LEEDS, {
      ...webhook,
      active: true,
      subscription: null,
      at: world.clock.now(),
    })
    await learnAddresses(world.app)
    await loseSignIn()
    const mailer = mailServer()
    await pass(minutes(5), { ...world.app, mailer })
    const title = 'Your webhooks need ServiceM8 to be connected again'
    expect(mailer.got.map(({ subject }) => subject)).toEqual([title])
    // Its address fails meanwhile: that ends nothing.
    world.client.sql.prepare(`UPDATE endpoint SET state = 'failing'`).run()
    await pass(minutes(2), { ...world.app, mailer })
    expect(await shown()).toEqual([title])
    await connect()
    await pass(minutes(3), { ...world.app, mailer })
    expect(subjects()).toEqual(['Your webhooks run again'])
  })

  test('a subscription that is gone is told where there are webhooks alone', async () => {
    await world.store.endpoints.saveEndpoint(LEEDS, {
      ...{ kind: 'webhook', objectType: 'note', fields: '', fieldFilter: '', secretSealed: 's' },
      ...{ url: 'https://crm.example.test/', active: true, subscription: null, at: world.clock.now() },
    })
    for (const object of ['note', 'task']) {
      world.client.sql
        .prepare(
          `INSERT INTO subscription (account_uuid, object, fields, token_hash, token_sealed, state, state_reason, created_at, updated_at)
           VALUES (?, ?, '', ?, '', 'active', 'ServiceM8 no longer lists it.', 1, 1)`,
        )
        .run(LEEDS, object, object)
    }
    await pass(minutes(2))
    expect(subjects()).toEqual(['Your webhooks no longer hear of changes in ServiceM8: Note'])
    world.client.sql.prepare('UPDATE subscription SET state_reason = NULL').run()
    await pass(minutes(2))
    expect(mails().at(-1)).toMatchObject({
      subject: 'Your webhooks no longer miss Note changes in ServiceM8',
      textBody: expect.stringContaining('They had missed changes since 1 Jan, 01:00.'),
    })
  })

  test.each([
    ['scope', { outcome: 'forbidden', status: 403, message: 'read_tasks scope required' }, 'permission:read_tasks'],
    ['suspended', { outcome: 'suspended', status: 402, message: 'Payment required' }, 'suspended'],
  ] as const)('is told when a check or the start of an automation is refused: %s', async (code, failure, told) => {
    const { store, clock, platform } = world
    platform.fate = ({ verb }) => (verb === 'list' ? failure : 'well')
    const parts = { ...world.app, facts: world.parts.facts }
    const polled = await world.rule(aRule([TEXT], { trigger: pollTrigger({}) }), LEEDS, 'Check')
    const tick = clock.now()
    await store.automations.changeAutomation(LEEDS, polled, { nextRunAt: tick, at: tick })
    const pauseOf = async (id: number) =>
      reasonCode((await store.automations.findAutomation(LEEDS, id))?.pausedReason ?? null)
    await createPoller(parts).round()
    expect(await pauseOf(polled)).toBe(code)
    const fresh = await thanks()
    world.client.sql.prepare('UPDATE automation SET baselined = 0 WHERE id = ?').run(fresh)
    const baseline = createBaseline(parts)
    await baseline.round()
    expect(await pauseOf(fresh)).toBe(code)
    clock.leap(hours(1))
    await baseline.round()
    const rule = (await store.automations.findAutomation(LEEDS, fresh)) as StoredRule
    expect([rule.baselined, ruleJson(rule, LEEDS, null).preparing]).toEqual([false, false])
    await watchAccounts({ ...world.app, payments: null })
    expect(await store.notices.openTroubles(['permission', 'suspended'])).toMatchObject([{ fingerprint: told }])

    platform.fate = () => 'well'
    await connect('vendor publish_email read_tasks')
    expect(await resumeRules(world.app)).toBe(true)
    expect((await store.automations.dueAutomations(clock.now(), 9)).map(({ nextRunAt }) => nextRunAt)).toEqual([tick])
    await baseline.round()
    expect(await store.automations.findAutomation(LEEDS, fresh)).toMatchObject({ baselined: true })
  })

  test('a permission that ServiceM8 refuses although it is granted is waited for until the next sign-in', async () => {
    const rule = await thanks()
    await connect('vendor publish_sms')
    const refused = { outcome: 'forbidden', status: 403, message: 'publish_sms scope required' } as const
    world.platform.fate = ({ verb }) => (verb === 'sms' ? refused : 'well')
    await run(rule)
    // As every refused call does.
    const { generation = 0 } = (await world.store.accounts.findCredential(LEEDS)) ?? {}
    await world.store.accounts.noteRefusedScope(LEEDS, generation, 'publish_sms')
    expect(await resumeRules(world.app)).toBe(false)
    expect(await world.store.automations.findAutomation(LEEDS, rule)).toMatchObject({ pausedReason: { code: 'scope' } })
    await connect('')
    expect(await resumeRules(world.app)).toBe(true)
  })

  test('a permission names each automation that came to need it, and no other; their number is mailed a day later', async () => {
    const pause = (name: string, scope: string) =>
      world.client.sql
        .prepare(
          "UPDATE automation SET paused_reason_code = 'scope', paused_reason_params = ?, paused_at = 1 WHERE name = ?",
        )
        .run(JSON.stringify({ scope, message: 'x' }), name)
    for (const name of ['A', 'B', 'C']) await world.rule(aRule([TEXT]), LEEDS, name)
    pause('A', 'publish_sms')
    pause('C', 'read_tasks')
    await round()
    pause('B', 'publish_sms')
    await round()
    const sms = async () => (await listNotices(world.app, LEEDS)).map(({ sentence }) => sentence).sort()
    expect(await sms()).toEqual([
      expect.stringMatching(/publish_sms.*It stops: A and B\./),
      expect.stringMatching(/read_tasks.*It stops: C\./),
    ])
    expect(mails()).toHaveLength(2)
    await leap(days(1))
    await pass(minutes(3))
    expect(mails()).toHaveLength(3)
    expect(mails().at(-1)?.textBody).toContain('It stops: A and B.')
  })

  test('is told when ServiceM8 refuses even a renewed sign-in', async () => {
    await thanks()
    await world.rule(aRule([TEXT]), LEEDS, 'Remind')
    const pause = { automationId: null, reason: runReason('reconnect'), at: world.clock.now() }
    await world.store.runs.pauseAutomations(LEEDS, pause)
    await round()
    expect(await listNotices(world.app, LEEDS)).toMatchObject([
      { kind: 'reconnect', sentence: expect.stringContaining('It stops: Remind and Thank the customer.') },
    ])
    await loseSignIn()
    await round()
    expect(await listNotices(world.app, LEEDS)).toHaveLength(1)
  })

  test('a permission that one automation waited for does not say that all stood still', async () => {
    const rule = await thanks()
    await world.rule(aRule([TEXT]), LEEDS, 'Remind')
    const reason = runReason('scope', { scope: 'manage_jobs', message: 'No.' })
    await world.store.runs.pauseAutomations(LEEDS, { automationId: rule, reason, at: world.clock.now() })
    await pass(minutes(2))
    await world.store.runs.resumeAutomations(LEEDS, [reason], world.clock.now())
    await pass(minutes(2))
    const title = 'Your automations no longer wait for the permission manage_jobs'
    expect(await shown()).toEqual([title])
    expect(mails().at(-1)).toMatchObject({
      subject: title,
      textBody: expect.stringContaining('Those that need it had waited since 09:00.'),
    })
  })

  test('the end of one cause is no news while another holds everything up; the last one says since when', async () => {
    await thanks()
    await world.store.notices.saveMailChoice(LEEDS, { weekly: true }, DEFAULT_MAIL_CHOICE, world.clock.now())
    await learnAddresses(world.app)
    const app = { ...world.app, mailer: mailServer() }
    const hold = (since: number | null) =>
      world.client.sql
        .prepare(
          `INSERT INTO plan (account_uuid, status, trial_started_at, trial_ends_at, cancel_at_period_end, payment_attempt, held_since,
             hold_reason, created_at, updated_at) VALUES (?, 'trial', 1, 1, 0, 0, ?, 'trial_ended', 1, 1)
           ON CONFLICT (account_uuid) DO UPDATE SET held_since = excluded.held_since`,
        )
        .run(LEEDS, since)
    hold(world.clock.now())
    await pass(minutes(2), app)
    await loseSignIn()
    await pass(minutes(2), app)
    await world.clock.run(days(7))
    await tellWeek(world.app)
    await pass(minutes(1), app)
    expect(app.mailer.got.at(-1)?.subject).toBe('1 of your 1 automation needs you: 0 messages, 0 failures')
    await connect()
    await pass(minutes(2), app)
    expect(await shown()).toEqual([expect.stringContaining('stand still')])
    hold(null)
    await pass(minutes(2), app)
    expect(subjects()).toEqual([expect.stringContaining('stand still'), 'Your automations and webhooks run again'])
    expect(mails().at(-1)?.textBody).toContain('They had stood still since 5 Jan, 09:00.')
  })

  test('the news that all run again is told also while a payment is late, which stops nothing yet', async () => {
    await thanks()
    await learnAddresses(world.app)
    world.client.sql
      .prepare(
        `INSERT INTO plan (account_uuid, status, trial_started_at, trial_ends_at, cancel_at_period_end, payment_attempt, past_due_since,
           created_at, updated_at) VALUES (?, 'past_due', 1, 1, 0, 0, ?, 1, 1)`,
      )
      .run(LEEDS, world.clock.now())
    await pass(minutes(2))
    await loseSignIn()
    const app = { ...world.app, mailer: mailServer() }
    await pass(minutes(2), app)
    await connect()
    await pass(minutes(2), app)
    expect(subjects().at(-1)).toBe('Your automations and webhooks run again')
  })

  test('a failed payment is told at once, counts nothing as unwell, and ends quietly when it is paid', async () => {
    await thanks()
    await learnAddresses(world.app)
    await world.store.notices.saveMailChoice(LEEDS, { weekly: true }, DEFAULT_MAIL_CHOICE, world.clock.now())
    const late = (since: number | null, held: number | null = null) =>
      world.client.sql
        .prepare(
          `INSERT INTO plan (account_uuid, status, trial_started_at, trial_ends_at, cancel_at_period_end, payment_attempt, past_due_since,
             held_since, hold_reason, created_at, updated_at) VALUES (@account, 'past_due', 1, 1, 0, 0, @since, @held, 'payment_failed', 1, 1)
           ON CONFLICT (account_uuid) DO UPDATE SET past_due_since = @since, held_since = @held`,
        )
        .run({ account: LEEDS, since, held })
    const since = world.clock.now()
    late(since)
    await watchAccounts({ ...world.app, payments: null })
    expect(await shown()).toEqual([])
    await pass(minutes(2))
    const { timezone = '' } = (await world.store.accounts.findAccount(LEEDS)) ?? {}
    const day = dayText(since + days(7), timezone)
    const title = `Your automations and forwarding stop on ${day}. Your last payment failed`
    expect(await shown()).toEqual([title])
    expect(mails()).toMatchObject([
      {
        subject: title,
        textBody: expect.stringMatching(
          /An owner presses Pay now: open Fieldhook from ServiceM8\.\n\n.*\/subscription/s,
        ),
      },
    ])
    await world.clock.run(days(7))
    await tellWeek(world.app)
    await pass(minutes(1))
    expect(subjects().at(-1)).toContain('Your automation is working')
    await pass(minutes(2))
    expect(await shown()).toEqual([])
    late(null)
    await pass(minutes(2))
    expect([await shown(), mails().length]).toEqual([[], 2])
    late(world.clock.now(), world.clock.now())
    await pass(minutes(2))
    expect(await shown()).toEqual([expect.stringContaining('stand still. Payment failed: pay to resume')])
  })

  test('a failed payment is told also while nothing is forwarded and no automation is on', async () => {
    world.client.sql
      .prepare(
        `INSERT INTO plan (account_uuid, status, trial_started_at, trial_ends_at, cancel_at_period_end, payment_attempt, past_due_since,
           created_at, updated_at) VALUES (?, 'past_due', 1, 1, 0, 0, ?, 1, 1)`,
      )
      .run(LEEDS, world.clock.now())
    await learnAddresses(world.app)
    await pass(minutes(2))
    expect(subjects()).toEqual([expect.stringContaining('Your last payment failed')])
    expect(await shown()).toHaveLength(1)
    world.client.sql.prepare('UPDATE plan SET held_since = ?').run(world.clock.now())
    await pass(minutes(2))
    expect(await shown()).toEqual([])
  })

  test('is not said to run again when the last automation was switched off meanwhile', async () => {
    await thanks()
    await learnAddresses(world.app)
    await loseSignIn()
    const app = { ...world.app, mailer: mailServer() }
    await pass(minutes(2), app)
    expect(await shown()).toHaveLength(1)
    world.client.sql.prepare('UPDATE automation SET active = 0').run()
    await pass(minutes(2), app)
    await connect()
    await pass(minutes(2), app)
    expect(await shown()).toEqual([])
    expect([app.mailer.got.length, subjects()]).toEqual([1, []])
  })

  test('is on the page when nobody can be told, and the notice says why', async () => {
    await thanks()
    await loseSignIn()
    await pass(minutes(2))
    const [notice] = await listNotices(world.app, LEEDS)
    expect(notice).toMatchObject({ kind: 'reconnect', mail: expect.stringContaining('Sign in again to get them') })
    expect(await world.store.notices.mailEnds(0)).toEqual([{ code: 'not_connected', count: 1 }])
  })

  test('goes out whatever else was told that day', async () => {
    for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) {
      refuseTexts(true)
      await run(await world.rule(aRule([TEXT]), LEEDS, name))
    }
    await pass(minutes(1))
    expect(subjects()).toHaveLength(5)
    world.client.sql
      .prepare(
        "UPDATE automation SET paused_reason_code = 'scope', paused_reason_params = ?, paused_at = 1 WHERE name IN ('A', 'B')",
      )
      .run(JSON.stringify({ scope: 'publish_sms', message: 'x' }))
    await pass(minutes(1))
    expect(mails()[5]).toMatchObject({
      subject: 'Your automations need a permission in ServiceM8: publish_sms',
      textBody: expect.stringContaining('It stops: A and B.'),
    })
  })

  test.each([
    [null, 'Thank the customer failed'],
    ['stranger@example.com', 'An automation failed'],
  ])(
    'as a subject the mail server sends no name of a rule to an address of their choice: %s',
    async (email, failed) => {
      const rule = await thanks()
      await learnAddresses(world.app)
      await world.store.notices.saveMailChoice(LEEDS, { email }, DEFAULT_MAIL_CHOICE, world.clock.now())
      refuseTexts(true)
      await run(rule)
      await loseSignIn()
      const mailer = mailServer()
      await pass(minutes(2), { ...world.app, mailer })
      expect(mailer.got.map(({ to, subject }) => [to, subject])).toContainEqual([
        email ?? 'office@example.test',
        failed,
      ])
      expect(JSON.stringify(mailer.got.map(({ subject }) => subject)).includes('Thank')).toBe(email === null)
    },
  )

  test('a mail server that does not answer holds up nobody else, and is asked again later', async () => {
    const rule = await thanks()
    await learnAddresses(world.app)
    await loseSignIn()
    const silent = { outcome: 'unavailable', status: null, message: 'No answer.', undone: true } as const
    const mailer = mailServer([silent])
    await pass(minutes(1), { ...world.app, mailer })
    expect((await listNotices(world.app, LEEDS))[0]?.mail).toBe('We retry the e-mail: No answer.')
    await pass(minutes(2), { ...world.app, mailer })
    expect(mailer.got).toHaveLength(1)
    expect(rule).toBe(1)
  })

  test('nor does it end a reminder that waits behind another mail', async () => {
    const id = await thanks()
    await learnAddresses(world.app)
    await loseSignIn()
    for (const kind of ['waiting', 'silent'] as const) {
      const trouble = { kind, fingerprint: kind, since: 5, count: 1, reason: noticeReason('waiting'), runId: null }
      await world.store.notices.raiseTrouble(
        LEEDS,
        { kind: 'rule', id },
        { ...trouble, total: true },
        world.clock.now(),
      )
    }
    world.client.sql.prepare("UPDATE notice SET at = at - ? WHERE kind = 'silent'").run(days(3))
    const silent = { outcome: 'unavailable', status: null, message: 'No answer.', undone: true } as const
    await sendDueMails({ ...world.app, mailer: mailServer([silent]) })
    const states = world.rows('SELECT mail_state AS state, mail_tries AS tries FROM notice')
    expect(states).toEqual([1, 2].map(() => ({ state: 'pending', tries: 1 })))
  })

  test('one mailbox that is full holds up no other account, which never learns of it', async () => {
    await thanks()
    await world.rule(aRule([TEXT]), BRISBANE, 'Remind')
    await connect('vendor publish_email', BRISBANE)
    await learnAddresses(world.app)
    await loseSignIn()
    await loseSignIn(BRISBANE)
    const full = { outcome: 'unavailable', status: null, undone: true, answered: true } as const
    const mailer = mailServer([{ ...full, message: '450 <a@example.com> is full' }])
    await pass(minutes(1), { ...world.app, mailer })
    expect(mailer.got).toHaveLength(1)
    const said = [await listNotices(world.app, LEEDS), await listNotices(world.app, BRISBANE)].map(
      (all) => all[0]?.mail,
    )
    expect(said.filter((mail) => mail?.includes('a@example.com'))).toEqual([
      'We retry the e-mail: 450 <a@example.com> is full.',
    ])
  })

  test('a mail that the mail server may have taken is not repeated; a refused one says so', async () => {
    await thanks()
    await learnAddresses(world.app)
    await loseSignIn()
    const mailer = mailServer([{ outcome: 'unavailable', status: null, message: 'Cut off.' }])
    await pass(minutes(9), { ...world.app, mailer })
    expect(mailer.got).toEqual([])
    expect((await listNotices(world.app, LEEDS))[0]?.mail).toContain('The mail server did not confirm')
    expect(await world.store.notices.mailEnds(0)).toEqual([{ code: 'smtp_unclear', count: 1 }])
  })
})

describe('the choices of an account', () => {
  test('a topic that is off is on the page only', async () => {
    const rule = await thanks()
    const choice = { ...DEFAULT_MAIL_CHOICE, topicsOff: ['failing' as const] }
    await world.store.notices.saveMailChoice(LEEDS, choice, DEFAULT_MAIL_CHOICE, world.clock.now())
    refuseTexts(true)
    await run(rule)
    await pass(minutes(2))
    expect([await shown(), subjects()]).toEqual([['Thank the customer failed'], []])
  })

  test('the line of the week goes out once, on Monday morning', async () => {
    const rule = await thanks()
    await world.rule(aRule([TEXT]), LEEDS, 'Remind')
    await run(rule, 3)
    // One of them did not arrive. Of the e-mail, nobody can tell: the history has shown no other.
    world.client.sql.prepare(`UPDATE message_receipt SET state = 'missing' WHERE run_id = 1`).run()
    world.client.sql.prepare(`UPDATE message_receipt SET state = 'missing', channel = 'email' WHERE run_id = 2`).run()
    world.client.sql.prepare(`UPDATE message_receipt SET history_uuid = 'shown' WHERE run_id = 3`).run()
    await world.store.notices.saveMailChoice(LEEDS, { weekly: true }, DEFAULT_MAIL_CHOICE, world.clock.now())
    for (let hour = 0; hour < 8 * 24; hour++) {
      await world.clock.run(hours(1))
      await tellWeek(world.app)
      await round()
    }
    // The first Monday is the day on which they were made.
    expect(subjects()).toEqual([
      'All 2 automations are working: 0 messages, 0 failures',
      'Thank the customer sent 1 message that did not arrive',
      '1 of your 2 automations needs you: 3 messages, 1 failure',
    ])
    expect(await shown()).toEqual([])
  })

  test('its week is whole when the clocks change', async () => {
    await thanks()
    await world.store.notices.saveMailChoice(LEEDS, { weekly: true }, DEFAULT_MAIL_CHOICE, world.clock.now())
    const weeks: string[][] = []
    const { notices } = world.store
    const weekFigures: typeof notices.weekFigures = (account, ...ends) => {
      weeks.push(ends.map((at) => new Date(at).toISOString().slice(0, 16)))
      return notices.weekFigures(account, ...ends)
    }
    for (const monday of [Date.UTC(2026, 2, 30, 9), Date.UTC(2026, 9, 26, 10)]) {
      const clock = { ...world.clock, now: () => monday }
      await tellWeek({ ...world.app, clock, store: { ...world.store, notices: { ...notices, weekFigures } } })
    }
    expect(weeks).toEqual([
      ['2026-03-23T00:00', '2026-03-29T23:00'],
      ['2026-10-18T23:00', '2026-10-26T00:00'],
    ])
  })
})

describe('a process that ends between any two writes', () => {
  /** The store and the platform as a process sees them that ends at its n-th step. */
  function dyingAt(step: number): MailApp & { steps: () => number } {
    let taken = 0
    const die = () => {
      taken++
      if (taken > step) throw new Error('killed')
    }
    const notices = new Proxy(world.store.notices, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...input: unknown[]) => Promise<unknown>
        return async (...input: unknown[]) => {
          die()
          const result = await method(...input)
          die()
          return result
        }
      },
    })
    const callAsAccount: App['callAsAccount'] = async (...input) => {
      die()
      const answer = await world.app.callAsAccount(...input)
      die()
      return answer
    }
    return { ...world.app, store: { ...world.store, notices }, callAsAccount, steps: () => taken }
  }

  test('never sends a mail twice, and loses one only between its row and its sending', async () => {
    const counts: number[] = []
    for (let step = 0; ; step++) {
      const rule = await world.rule(aRule([TEXT]), LEEDS, `Rule ${step}`)
      // Only the mails of this one are counted against a day.
      world.client.sql.prepare('DELETE FROM notice').run()
      refuseTexts(true)
      await run(rule)
      const before = mails().length
      const dying = dyingAt(step)
      await sendDueMails(dying).catch(() => undefined)
      const wholeRound = dying.steps() <= step
      await pass(minutes(3))
      await pass(minutes(3))
      counts.push(mails().length - before)
      if (wholeRound) break
    }
    expect(counts.length).toBeGreaterThan(10)
    expect(Math.max(...counts)).toBe(1)
    // Marked, and not sent yet: two steps.
    expect(counts.filter((count) => count === 0).length).toBeLessThanOrEqual(3)
  })
})

test('all that goes on is listed, and of addresses each one’s own', async () => {
  const rows = deliveryRows(world.client)
  const raise = world.client.sql.prepare(
    `INSERT INTO notice (account_uuid, subject_kind, subject_id, kind, fingerprint, since, last_at, count, sentence, at, mail_state, mail_tries, told_count)
     VALUES (?, ?, ?, 'failing', ?, 0, 0, 1, 'S.', ?, 'none', 0, 0)`,
  )
  const rule = await world.rule(aRule([TEXT]))
  for (let n = 0; n < 130; n += 1) raise.run(LEEDS, 'rule', rule, `failing:${n}`, n)
  expect(await listRuleNotices(world.app, LEEDS)).toHaveLength(130)
  for (let n = 0; n < 25; n += 1) raise.run(LEEDS, 'endpoint', rows.endpoint({ account: LEEDS }), 'failing', n)
  expect((await loadAccountNews(world.app, LEEDS, [])).notices).toHaveLength(25)
  expect(await listNotices(world.app, LEEDS)).toHaveLength(155)
})

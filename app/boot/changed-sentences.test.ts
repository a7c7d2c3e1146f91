// Words may change, behaviour may not: every sentence of the tables says something else here, and what once compared sentences
// does the same.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isConnectionPause, RUN_REASON_TEXTS, runReason, runReasonText } from '#app/domain/automations/run-reasons.ts'
import { PLAN_HOLD_TEXTS } from '#app/domain/plan-hold.ts'
import { cancelRun, releaseRuns } from '#app/features/automations/history/run-again.server.ts'
import { planNotice } from '#app/features/billing/plan-notice.ts'
import { mailSaid } from '#app/features/notices/notice-mail.ts'
import {
  MAIL_PROBLEM_TEXTS,
  MAIL_REASON_TEXTS,
  mailReason,
  NOTICE_REASON_TEXTS,
} from '#app/features/notices/notice-reasons.ts'
import { days, minutes, seconds } from '#app/lib/duration.ts'
import { type AutomationWorld, aRule, aStep, automationWorld, LEEDS } from '#tests/support/automation-world.server.ts'
import { samplePlan } from '#tests/support/sample-plans.ts'

const TABLES: Record<string, unknown>[] = [
  RUN_REASON_TEXTS,
  PLAN_HOLD_TEXTS,
  MAIL_REASON_TEXTS,
  MAIL_PROBLEM_TEXTS,
  NOTICE_REASON_TEXTS,
]
const before = TABLES.map((table) => ({ ...table }))

let world: AutomationWorld
beforeEach(async () => {
  for (const table of TABLES) for (const code of Object.keys(table)) table[code] = 'Other words.'
  world = await automationWorld()
})
afterEach(() => {
  for (const [index, table] of TABLES.entries()) Object.assign(table, before[index])
  return world.close()
})

const TEXT = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Hello.', linkToJob: true })

async function work(ms: number): Promise<void> {
  world.engine().start()
  await world.clock.run(ms)
}

test('the sentences really are others', () => {
  expect(runReasonText(runReason('released'))).toBe('Other words.')
  expect(runReasonText(runReason('scope', { scope: 'publish_sms', message: '' }))).toBe('Other words.')
})

test('a lost connection pauses the rules, and its end takes the pause back', async () => {
  const rule = await world.rule(aRule([TEXT]))
  world.platform.fate = () => 'unauthorized'
  const run = await world.start(rule, [world.job(LEEDS)])
  await work(minutes(3))
  expect(await world.store.automations.findAutomation(LEEDS, rule)).toMatchObject({
    pausedReason: { code: 'reconnect' },
  })
  world.platform.fate = () => 'well'
  await world.clock.run(minutes(2))
  expect(await world.store.automations.findAutomation(LEEDS, rule)).toMatchObject({ pausedReason: null })
  expect(await world.run(run)).toMatchObject({ outcome: 'success' })
})

test('a missing permission pauses only the rule that needs it', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const second = await world.rule(aRule([TEXT]), LEEDS, 'Second')
  world.platform.fate = ({ verb }) => (verb === 'sms' ? 'forbidden' : 'well')
  await world.start(rule, [world.job(LEEDS)])
  await work(seconds(5))
  expect(await world.store.automations.findAutomation(LEEDS, rule)).toMatchObject({
    pausedReason: { code: 'scope', params: { scope: 'publish_sms' } },
  })
  expect(await world.store.automations.findAutomation(LEEDS, second)).toMatchObject({ pausedReason: null })
})

test('only pauses about the connection end by themselves', () => {
  const ends = (['reconnect', 'suspended', 'breaker', 'hop_limit'] as const).map((code) =>
    isConnectionPause(runReason(code)),
  )
  expect(ends).toEqual([true, true, false, false])
})

test('what a person lets go on goes out although the rule is off; what nobody let go on does not begin', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const [released, left] = [
    await world.start(rule, [world.job(LEEDS)], { held: runReason('ask_first') }),
    await world.start(rule, [world.job(LEEDS)]),
  ]
  await world.store.automations.changeAutomation(LEEDS, rule, { active: false, at: world.clock.now() })
  await releaseRuns(world.app, LEEDS, [released])
  await work(seconds(5))
  expect(await world.run(released)).toMatchObject({ outcome: 'success' })
  expect(await world.run(left)).toMatchObject({ outcome: 'cancelled', reason: { code: 'switched_off' } })
})

test('a cancelled run ends, and says by whom', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const run = await world.start(rule, [world.job(LEEDS)], { held: runReason('ask_first') })
  await cancelRun(world.app, LEEDS, run, { discarded: true })
  expect(await world.run(run)).toMatchObject({ outcome: 'cancelled', reason: { code: 'discarded' } })
})

test('the notice about a hold asks for what ends it', () => {
  const now = Date.UTC(2026, 10, 21)
  const action = (status: string) =>
    planNotice(samplePlan({ status, trialEndsAt: now - days(9) }), 'stripe', now, 'UTC')?.action
  expect(action('unpaid')).toEqual({ label: 'Pay now' })
  expect(action('trial')).toEqual({ label: 'Subscribe' })
  expect(action('canceled')).toEqual({ label: 'Subscribe' })
})

test('an e-mail under way is not called unclear', () => {
  expect(mailSaid(mailReason('unclear'), 100, 200)).toBe('An e-mail is being sent.')
  expect(mailSaid(mailReason('unclear'), 100, 100 + minutes(5))).toBe('Other words.')
  expect(mailSaid(mailReason('too_many'), 100, 200)).toBe('Other words.')
})

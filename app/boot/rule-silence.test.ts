// Silence by an automation's own rhythm, on a real file and day by day: ten rhythms that end, and ten that only look so.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayOf, weekdayOf } from '#app/domain/time/local-time.ts'
import { listRuleNotices } from '#app/features/notices/list-notices.server.ts'
import { DEFAULT_MAIL_CHOICE } from '#app/features/notices/notice-mail.ts'
import { sendDueMails } from '#app/features/notices/send-mails.server.ts'
import { watchRules, watchSilence } from '#app/features/notices/watch-rules.server.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { type AutomationWorld, aRule, aStep, automationWorld, LEEDS } from '#tests/support/automation-world.server.ts'

/** Monday, 31 August 2026, 09:00 in London. */
const START = Date.UTC(2026, 7, 31, 8)
const TEXT = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Hi.', linkToJob: true })

let world: AutomationWorld
beforeEach(async () => {
  world = await automationWorld(START)
})
afterEach(() => world.close())

/** `ran(day, weekday)`: does it run on that day, counted from the start? `silentOn`: the day of the notice; null = never. */
interface Rhythm {
  ran(day: number, weekday: number): boolean
  silentOn: number | null
}

/** Until the day before. */
const until =
  (end: number, ran: Rhythm['ran']): Rhythm['ran'] =>
  (day, weekday) =>
    day < end && ran(day, weekday)
const on =
  (...weekdays: number[]): Rhythm['ran'] =>
  (_day, weekday) =>
    weekdays.includes(weekday)
/** Looks random, and is the same each time. */
const scattered =
  (share: number, seed: number): Rhythm['ran'] =>
  (day) =>
    (((Math.sin(day * 12.9898 + seed * 78.233) * 43758.5453) % 1) + 1) % 1 < share

const ENDING: Record<string, Rhythm> = {
  'every day': { ran: until(40, () => true), silentOn: 42 },
  'working days': { ran: until(40, on(1, 2, 3, 4, 5)), silentOn: 44 },
  'twice a week': { ran: until(40, on(2, 4)), silentOn: 46 },
  'once a week': { ran: until(43, on(1)), silentOn: 57 },
  'three days a week': { ran: until(42, on(1, 3, 5)), silentOn: 45 },
  weekends: { ran: until(42, on(6, 7)), silentOn: 49 },
  'every other Monday': { ran: until(60, (day, weekday) => weekday === 1 && day % 14 === 0), silentOn: 85 },
  'working days with one day left out': { ran: until(40, (day, weekday) => weekday < 6 && day !== 16), silentOn: 45 },
  'every third day': { ran: until(41, (day) => day % 3 === 0), silentOn: 46 },
  'every day, with a week of holidays': { ran: until(50, (day) => day < 14 || day > 20), silentOn: 61 },
}

const LOOKING_SO: Record<string, Rhythm> = {
  'goes on': { ran: on(1, 2, 3, 4, 5), silentOn: null },
  'only four days yet': { ran: until(4, () => true), silentOn: null },
  'five days of the first week': { ran: until(5, () => true), silentOn: null },
  'a weekend off': { ran: on(1, 2, 3, 4), silentOn: null },
  'one day left out': { ran: (day, weekday) => weekday < 6 && day % 11 !== 0, silentOn: null },
  'every other week, as always': { ran: (day, weekday) => weekday === 3 && day % 14 < 7, silentOn: null },
  'now and then': { ran: scattered(0.25, 1), silentOn: null },
  seldom: { ran: scattered(0.12, 5), silentOn: null },
  'busy weeks and quiet ones by turns': { ran: (day) => day % 20 < 10, silentOn: null },
  'slower with the season': {
    ran: (day, weekday) => (day < 42 ? weekday < 6 : weekday === 2 || weekday === 4),
    silentOn: null,
  },
}

test('ten planted rhythms are noticed on the right day, and ten that only look like it are not', async () => {
  const all = Object.entries({ ...ENDING, ...LOOKING_SO })
  const rules: number[] = []
  for (const [name] of all) rules.push(await world.rule(aRule([TEXT]), LEEDS, name))
  const job = world.job(LEEDS)
  const judged = new Map<number, number>()
  const noticed = new Map<string, number>()
  const first = dayOf(START)
  for (let day = 0; day < 88; day++) {
    // The clocks go back meanwhile: nine in the morning is an hour later then.
    await world.clock.run(hours(2))
    await watchRules(world.app)
    await watchSilence(world.app, judged)
    for (const { kind, name } of await listRuleNotices(world.app, LEEDS)) {
      if (kind === 'silent' && !noticed.has(name)) noticed.set(name, day)
    }
    for (const [index, [, { ran }]] of all.entries()) {
      if (ran(day, weekdayOf(first + day))) await world.start(rules[index] as number, [job])
    }
    await world.clock.run(hours(22))
  }
  const wanted = all.filter(([, { silentOn }]) => silentOn !== null).map(([name, { silentOn }]) => [name, silentOn])
  expect([...noticed].sort()).toEqual(wanted.sort())
})

test('is told in the morning, once, and ends quietly with the next run', async () => {
  const choice = { ...DEFAULT_MAIL_CHOICE, email: 'owner@example.test' }
  await world.store.notices.saveMailChoice(LEEDS, choice, DEFAULT_MAIL_CHOICE, START)
  await world.store.accounts.saveCredential(LEEDS, {
    ...{ accessTokenSealed: 'a', refreshTokenSealed: 'r', scope: 'publish_email' },
    expiresAt: START + days(999),
  })
  const rule = await world.rule(aRule([TEXT]), LEEDS, 'Thank the customer')
  const job = world.job(LEEDS)
  const judged = new Map<number, number>()
  const told: number[] = []
  for (let hour = 0; hour < 60 * 24; hour++) {
    const day = Math.floor(hour / 24)
    if (hour % 24 === 4 && day < 32 && [2, 4].includes(weekdayOf(dayOf(START) + day))) await world.start(rule, [job])
    const before = world.platform.messages.length
    await watchRules(world.app)
    await watchSilence(world.app, judged)
    await sendDueMails(world.app)
    if (world.platform.messages.length > before) told.push(hour % 24)
    await world.clock.run(hours(1))
  }
  expect(world.platform.messages.map(({ sent }) => sent)).toEqual([
    {
      to: 'owner@example.test',
      subject: 'Thank the customer has not run for 8 days, usually twice a week',
      textBody: expect.stringContaining('See why: https://hooks.example.com/automation/runs?accountUUID='),
    },
  ])
  // 09:00 in London: the hours are counted from nine.
  expect(told).toEqual([0])
  expect(await listRuleNotices(world.app, LEEDS)).toHaveLength(1)
  await world.start(rule, [job], { source: 'person' })
  await world.clock.run(minutes(1))
  await watchRules(world.app)
  expect(await listRuleNotices(world.app, LEEDS)).toHaveLength(1)
  await world.start(rule, [job])
  await world.clock.run(minutes(1))
  await watchRules(world.app)
  expect(await listRuleNotices(world.app, LEEDS)).toEqual([])
})

import { describe, expect, it } from 'vitest'
import type { OutlinedAccount } from '#app/domain/operations.ts'
import { loopState } from '#app/domain/process-signs.ts'
import { spanText } from '#app/domain/time/moments.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { operatorFacts } from '#tests/support/sample-operator.ts'
import { SAMPLE_NOW } from '#tests/support/sample-views.ts'
import { failingGroups, failureClass, groupText } from './failure-class.ts'
import { byCare, callsText, careOf, needsCare, pageOf, planWord } from './operator-accounts.ts'
import { endedFlash, operatorAddress, readEndSessions } from './operator-address.ts'
import { actWords, type OperatorFacts, operatorView } from './operator-view.ts'

const facts = operatorFacts()
const verdict = (over: Partial<OperatorFacts> = {}) => operatorView({ ...facts, ...over }).verdict
const troubles = (over: Partial<OperatorFacts>) =>
  operatorView({ ...facts, ...over }).troubles.map(({ tone, sentence }) => `${tone}: ${sentence}`)
const delivering = (over: Partial<OperatorFacts['delivering']>) => ({
  delivering: { ...facts.delivering, ...over },
})
const backups = (over: Partial<OperatorFacts['backups']>) => ({ backups: { ...facts.backups, ...over } })
const space = (over: Partial<OperatorFacts['space']>) => ({ space: { ...facts.space, ...over } })

const WELL: OutlinedAccount = {
  uuid: 'a',
  name: 'Alder',
  connection: 'connected',
  plan: { status: 'active', trialEndsAt: 0, cancelAtPeriodEnd: false, heldSince: null },
  waiting: 0,
  endpoints: 2,
  failing: 0,
  failingSince: null,
  stopped: 0,
}

describe('the sentence at the top', () => {
  it('says that everything is fine, and what that rests on', () => {
    expect(verdict()).toEqual({
      tone: 'working',
      sentence: 'Everything is fine: nothing is overdue, and the last backup is 12 minutes old.',
    })
  })

  it('says of accounts what their badges say, in the same colour', () => {
    const failing = { accounts: 1, addresses: 2, more: false, groups: [] }
    const found = verdict({ failing, accounts: { ...facts.accounts, count: 3, needCare: 1 } })
    expect(found).toEqual({
      tone: 'attention',
      sentence:
        'Fieldhook works: nothing is overdue, and the last backup is 12 minutes old. 1 of 3 accounts needs attention: 2 addresses failing.',
    })
    const badge = careOf({ ...WELL, failing: 2 })
    expect(badge).toEqual([{ tone: found.tone, words: '2 addresses failing' }])
    expect(verdict({ accounts: { ...facts.accounts, count: 3, needCare: 2 } })).toMatchObject({
      tone: 'attention',
      sentence: expect.stringMatching(/2 of 3 accounts need attention\.$/),
    })
  })

  it('names the most pressing thing, and how many others there are', () => {
    const wrong = { ...delivering({ oldestDueAgeMs: minutes(12) }), ...backups({ setUp: false }) }
    expect(verdict(wrong)).toEqual({
      tone: 'failing',
      sentence:
        'Something needs you now: a delivery has been due for 12 minutes. Seconds are normal. And 1 other thing below.',
    })
    expect(verdict(backups({ setUp: false }))).toMatchObject({
      tone: 'attention',
      sentence: expect.stringMatching(/^Fieldhook works, one thing needs you: no backups are made/),
    })
  })
})

describe('what needs somebody', () => {
  it('is a share of the accounts that no instance has', () => {
    expect(troubles(delivering({ instances: { members: 3, unowned: 0 } }))).toEqual([])
    expect(troubles(delivering({ instances: { members: 2, unowned: 21 } }))).toEqual([
      'attention: 21 shares of the accounts without an instance. Seconds are normal.',
    ])
  })

  it('is a process that is not ready, or does not turn', () => {
    expect(troubles(delivering({ ready: false, reasons: ['the run engine is silent'] }))).toEqual([
      'failing: Not ready: the run engine is silent.',
    ])
    const [deliveries] = facts.delivering.loops
    if (!deliveries) throw new Error('there are two loops')
    const silent = { ...deliveries, state: 'silent' as const, lastBeatAt: SAMPLE_NOW - minutes(2) }
    expect(troubles(delivering({ loops: [silent] }))).toEqual([
      'failing: Deliveries gave no sign of life for 2 minutes.',
    ])
    expect(troubles(delivering({ loops: [{ ...silent, state: 'elsewhere' }] }))[0]).toContain('another process')
    expect(troubles(delivering({ loopDelayMs: 420 }))[0]).toContain('start delay 420 ms')
  })

  it('is a backup that is late, and a drill that failed', () => {
    const late = backups({ lastBackupAt: SAMPLE_NOW - hours(3) })
    expect(troubles(late)).toEqual(['attention: The last backup is 3 hours old; one is due every hour.'])
    expect(troubles(backups({ lastBackupAt: SAMPLE_NOW - days(2) }))[0]).toMatch(
      /^failing: The last backup is 2 days old/,
    )
    expect(troubles(backups({ lastBackupAt: SAMPLE_NOW - minutes(70) }))).toEqual([])
    const [run] = facts.backups.runs
    if (!run) throw new Error('there is a backup')
    const failed = { ...run, kind: 'drill' as const, outcome: 'failed' as const, message: 'Its key is missing.' }
    expect(troubles(backups({ runs: [failed] }))).toEqual([
      'failing: The last drill could not restore a backup. Its key is missing.',
    ])
    expect(troubles(backups({ lastDrillAt: SAMPLE_NOW - days(3) }))[0]).toContain('for 3 days; one is due every night')
  })

  it('is no missing backup in the sandbox, and none yet after a start', () => {
    const machine = { ...facts.machine, platform: 'sandbox' as const }
    expect(troubles({ ...backups({ setUp: false, runs: [] }), machine })).toEqual([])
    // Nor is it one where the database server makes them.
    const moved = backups({ setUp: 'server', lastBackupAt: SAMPLE_NOW - days(9) })
    expect(troubles(moved)).toEqual([])
    expect(verdict(moved).sentence).toBe('Everything is fine: nothing is overdue.')
    expect(troubles(backups({ setUp: 'copy', lastBackupAt: SAMPLE_NOW - days(9) }))).toEqual([])
    const young = { ...facts.machine, startedAt: SAMPLE_NOW - minutes(10) }
    expect(troubles({ ...backups({ lastBackupAt: null, lastDrillAt: null, runs: [] }), machine: young })).toEqual([])
    expect(troubles(backups({ lastBackupAt: null, lastDrillAt: null, runs: [] }))[0]).toContain(
      'No backup has been made',
    )
  })

  it('is space that runs short, soon or now', () => {
    expect(troubles(space({ level: 'warn', sentence: 'Full soon.' }))).toEqual(['attention: Full soon.'])
    expect(troubles(space({ level: 'share', sentence: 'Full.' }))).toEqual(['failing: Full.'])
    const outlook = { perDayBytes: 1, daysLeft: 9, sentence: '' }
    expect(troubles(space({ outlook }))).toEqual(['attention: At this pace the database is full in about 9 days.'])
    expect(troubles(space({ outlook: { ...outlook, daysLeft: 40 } }))).toEqual([])
    expect(troubles(space({ diskFreeBytes: 1 }))[0]).toMatch(/^failing: Only 1 KB free/)
    expect(troubles(space({ diskFreeBytes: 900 * 1024 * 1024 }))[0]).toContain('less than MAX_DB_MB')
  })

  it('is a restored copy, of which nothing is overdue', () => {
    const held = troubles({ ...delivering({ oldestDueAgeMs: hours(5) }), held: true })
    expect(held).toHaveLength(1)
    expect(held[0]).toContain('restored or moved copy')
  })
})

describe('an account', () => {
  const account = (over: Partial<OutlinedAccount> = {}): OutlinedAccount => ({ ...WELL, ...over })
  const plan = (status: string, heldSince: number | null = null, cancelAtPeriodEnd = false) => ({
    plan: { status, trialEndsAt: SAMPLE_NOW - 1, cancelAtPeriodEnd, heldSince },
  })

  it('is in need of care for reasons that are named', () => {
    expect(careOf(account())).toEqual([])
    expect(
      careOf(account({ connection: 'reconnect', failing: 2, stopped: 1, waiting: 12_000, ...plan('unpaid', 5) })),
    ).toEqual([
      { tone: 'attention', words: 'Disconnected' },
      { tone: 'attention', words: '2 addresses failing' },
      { tone: 'attention', words: '1 stopped' },
      { tone: 'attention', words: '12,000 waiting' },
      { tone: 'held', words: 'On hold: unpaid' },
    ])
  })

  it('needs no attention for being on hold alone', () => {
    expect(needsCare(account(plan('unpaid', 5)))).toBe(false)
    expect(needsCare(account({ stopped: 1, ...plan('unpaid', 5) }))).toBe(true)
  })

  it('stands where its need is', () => {
    const list = [
      account({ uuid: '1', name: 'Calm' }),
      account({ uuid: '2', name: 'Held', ...plan('unpaid', 5) }),
      account({ uuid: '3', name: 'Busy', waiting: 50 }),
      account({ uuid: '4', name: 'Failing', failing: 1 }),
      account({ uuid: '5', name: 'Stopped', stopped: 1 }),
      account({ uuid: '6', name: 'Both', failing: 1, connection: 'reconnect' }),
      account({ uuid: '7', name: 'Brisk' }),
    ]
    expect(byCare(list).map(({ name }) => name)).toEqual([
      'Both',
      'Failing',
      'Stopped',
      'Held',
      'Busy',
      'Brisk',
      'Calm',
    ])
  })

  it('has a plan in a word', () => {
    const words = [
      planWord(account({ plan: null }), SAMPLE_NOW),
      planWord(account({ plan: { ...plan('trial').plan, trialEndsAt: SAMPLE_NOW + 1 } }), SAMPLE_NOW),
      ...['trial', 'active', 'past_due', 'incomplete'].map((status) => planWord(account(plan(status)), SAMPLE_NOW)),
      planWord(account(plan('active', null, true)), SAMPLE_NOW),
    ]
    expect(words).toEqual(['–', 'Trial', 'Trial ended', 'Active', 'Past due', 'incomplete', 'Active, ends'])
  })

  it('has calls left', () => {
    expect(callsText({ minute: 12, day: 19_000, pausedUntil: null })).toBe('12 · 19,000')
    expect(callsText({ minute: 0, day: 800, pausedUntil: 5 })).toBe('paused · 800')
  })

  it('is on a page that exists', () => {
    expect([pageOf(null, 0), pageOf('3', 60), pageOf('99', 60), pageOf('x', 60)]).toEqual([
      { page: 1, pages: 1 },
      { page: 3, pages: 4 },
      { page: 4, pages: 4 },
      { page: 1, pages: 4 },
    ])
  })
})

describe('a failure', () => {
  it('has a class, and nothing else', () => {
    const seen: [number | null, string | null][] = [
      [503, null],
      [404, 'timeout'],
      [301, null],
      [429, null],
      [null, 'timeout'],
      [null, 'dns'],
      [null, 'constructor'],
      [null, null],
    ]
    expect(seen.map(([code, outcome]) => failureClass(code, outcome))).toEqual([
      '5xx',
      '4xx',
      '3xx',
      '429',
      'no answer in time',
      'name not found',
      'no answer',
      'no answer',
    ])
  })

  it('is told account by account, the longest first', () => {
    const one = { accountUuid: 'a', accountName: 'Alder', since: 30, switchedOff: false, code: 500, outcome: null }
    const groups = failingGroups([
      one,
      { ...one, since: 10, code: null, outcome: 'dns', switchedOff: true },
      { ...one, since: 40 },
      { ...one, accountUuid: 'b', accountName: 'Birch', since: 20 },
    ])
    expect(groups).toEqual([
      {
        accountUuid: 'a',
        accountName: 'Alder',
        addresses: 3,
        since: 10,
        switchedOff: 1,
        classes: [
          { words: '5xx', count: 2 },
          { words: 'name not found', count: 1 },
        ],
      },
      expect.objectContaining({ accountUuid: 'b', since: 20 }),
    ])
    expect(groups.map(groupText)).toEqual(['3 addresses: 5xx (2), name not found (1)', '1 address: 5xx'])
  })
})

it('a loop turns as long as it gives signs of life', () => {
  const loop = { owner: true, draining: false, inFlight: 0, lastBeatAt: SAMPLE_NOW }
  const states = [
    loop,
    { ...loop, owner: false },
    { ...loop, draining: true },
    { ...loop, lastBeatAt: null },
    { ...loop, lastBeatAt: SAMPLE_NOW - 10_001 },
  ].map((one) => loopState(one, SAMPLE_NOW))
  expect(states).toEqual(['turning', 'elsewhere', 'ending', 'silent', 'silent'])
  expect(loopState({ ...loop, lastBeatAt: null }, SAMPLE_NOW, true)).toBe('held')
})

it('acts are told without what they were done to', () => {
  expect(actWords('call.refused')).toBe('Requests refused')
  expect(actWords('webhook.created')).toBe('Created the webhook for …')
})

it('the address keeps the role, and the form names one account', () => {
  expect(operatorAddress('acc 1')).toBe('/operator?accountUUID=acc+1&admin=yes')
  expect(operatorAddress('a', { page: 3 })).toBe('/operator?accountUUID=a&admin=yes&page=3')
  expect(operatorAddress('a', { page: 1, asked: 'b' })).toBe('/operator?accountUUID=a&admin=yes&sign_out=b')
  const form = (fields: Record<string, string>) => readEndSessions(new URLSearchParams(fields))
  expect(form({ intent: 'end_sessions', account: 'a-1' })).toBe('a-1')
  expect([form({ intent: 'erase', account: 'a' }), form({ intent: 'end_sessions', account: 'a b' })]).toEqual([
    null,
    null,
  ])
  expect(endedFlash('Alder', 1)).toMatchObject({ title: 'One browser was signed out' })
  expect([endedFlash('', 3).title, endedFlash('', 0).title]).toEqual([
    '3 browsers were signed out',
    'Nobody was signed in',
  ])
})

it('spans are rounded down', () => {
  expect([999, 59_999, minutes(90), hours(47), days(2)].map(spanText)).toEqual([
    '0 seconds',
    '59 seconds',
    '1 hour',
    '47 hours',
    '2 days',
  ])
})

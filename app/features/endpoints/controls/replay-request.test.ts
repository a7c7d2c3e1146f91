import { describe, expect, test } from 'vitest'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { SAMPLE_NOW, SAMPLE_ZONE, sampleReplay } from '#tests/support/sample-views.ts'
import { firstReplayForm, missedSince, readReplayForm, replayBody, shownReplays } from './replay-request.ts'
import { countSentence, replayFormOf, replaySentence } from './replay-text.ts'

describe("the call's body", () => {
  test('asks for everything since a moment unless it says otherwise', () => {
    expect(replayBody.parse({ since: '2026-01-05T09:00:00Z' })).toEqual({
      since: Date.parse('2026-01-05T09:00:00Z'),
      status: 'all',
      objectUuid: null,
      dryRun: false,
    })
    expect(replayBody.parse({ since: '2026-01-05T10:00:00+01:00', status: 'failed', objectUuid: ' R-1 ' })).toEqual({
      since: Date.parse('2026-01-05T09:00:00Z'),
      status: 'failed',
      objectUuid: 'r-1',
      dryRun: false,
    })
  })

  test.each([
    ['since', undefined],
    ['since', 5],
    ['since', 'yesterday'],
    ['since', '2026-01-05T09:00:00'],
    ['status', 'most'],
    ['objectUuid', 7],
    ['objectUuid', 'x'.repeat(65)],
    ['dryRun', 'yes'],
    ['dryrun', true],
    ['objectUUID', 'r-1'],
  ])('is refused with %s = %j', (field, value) => {
    const { error } = replayBody.safeParse({ since: '2026-01-05T09:00:00Z', [field]: value })
    expect(
      error?.issues.map((issue) => issue.path[0] ?? (issue.code === 'unrecognized_keys' && issue.keys[0])),
    ).toEqual([field])
  })
})

describe('the form of the page', () => {
  const read = (form: Partial<Parameters<typeof readReplayForm>[0]>) =>
    readReplayForm({ since: '2025-11-21T09:00', status: 'failed', objectUuid: '', ...form }, SAMPLE_NOW, SAMPLE_ZONE)

  test("means the account's time of day", () => {
    const since = Date.parse('2025-11-20T22:00:00Z')
    expect(read({})).toEqual({ outcome: 'wish', request: { since, status: 'failed', objectUuid: null } })
    expect(read({ status: 'all', objectUuid: ' r-1 ' })).toMatchObject({
      request: { status: 'all', objectUuid: 'r-1' },
    })
  })

  test('refuses what is no moment, or is still to come', () => {
    expect(read({ since: '' })).toEqual({ outcome: 'invalid', errors: { since: ['Choose a date and a time.'] } })
    expect(read({ since: '2025-11-21T15:13' })).toMatchObject({
      errors: { since: [expect.stringMatching(/time in the past/)] },
    })
    expect(read({ objectUuid: 'x'.repeat(65) })).toMatchObject({ errors: { objectUuid: [expect.any(String)] } })
  })

  test('begins with what was missed since it went wrong, else with a day', () => {
    const first = { since: '2025-11-20T15:12', status: 'failed' }
    expect(firstReplayForm(null, SAMPLE_NOW, SAMPLE_ZONE)).toMatchObject(first)
    const missed = { since: '2025-11-18T13:12', status: 'failed' }
    expect(firstReplayForm(SAMPLE_NOW - hours(2), SAMPLE_NOW, SAMPLE_ZONE, false)).toMatchObject(missed)
    // Nothing was given up where nothing was sent.
    expect(firstReplayForm(null, SAMPLE_NOW, SAMPLE_ZONE, false).status).toBe('all')
  })

  test('is read from an address that asks for a count', () => {
    expect(replayFormOf(new URLSearchParams('replay=3'))).toBeNull()
    expect(replayFormOf(new URLSearchParams('replay=3&since=x'))).toEqual({ since: 'x', status: '', objectUuid: '' })
  })
})

test('what an address missed are events that waited when it stopped, and those after', () => {
  const since = Date.parse('2025-11-18T15:12+11:00')
  expect(missedSince(SAMPLE_NOW)).toEqual({ since, status: 'failed', objectUuid: null })
})

test('a card shows the replays that run, and the newest result for an hour', () => {
  const ended = (id: number, ago: number) => sampleReplay({ id, state: 'done', endedAt: SAMPLE_NOW - ago })
  const shown = (replays: Parameters<typeof shownReplays>[0]) => shownReplays(replays, SAMPLE_NOW).map(({ id }) => id)
  expect(shown([sampleReplay({ id: 4 }), ended(3, minutes(5)), ended(2, minutes(9)), sampleReplay({ id: 1 })])).toEqual(
    [4, 3, 1],
  )
  expect(shown([ended(3, hours(2))])).toEqual([])
})

test.each([
  [{}, '60 of 214 events delivered.'],
  [{ undelivered: 3 }, '60 of 214 events delivered, 3 not delivered.'],
  [{ state: 'cancelled' }, '60 of 214 events had been delivered. The rest was not sent.'],
  [{ state: 'done', total: 60 }, 'All 60 events were delivered.'],
  [{ state: 'done', total: 1, delivered: 1 }, 'The event was delivered.'],
  [{ state: 'done', delivered: 1, undelivered: 2 }, '1 event delivered, 2 not delivered. The activity says why.'],
  [{ state: 'done', total: 0, delivered: 0 }, 'There was nothing to send.'],
] as const)('a replay %j reads %j', (over, sentence) => {
  expect(replaySentence(sampleReplay(over))).toBe(sentence)
})

test('a count is said before anything is sent', () => {
  expect(countSentence(214, 'failed')).toBe('214 events would be sent.')
  expect(countSentence(1, 'all')).toBe('1 event would be sent.')
  expect(countSentence(0, 'failed')).toBe(
    'Nothing since then was given up or stopped. Choose “All” to send what was never sent.',
  )
  expect(countSentence(0, 'all')).toBe('Nothing to send: we keep no event since then.')
  expect(countSentence(3, 'all', days(7))).toBe(
    '3 events would be sent. Events delivered everywhere, or sent nowhere, can be sent for 7 days.',
  )
  expect(countSentence(3, 'failed', days(7))).toBe('3 events would be sent.')
})

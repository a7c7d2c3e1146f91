import { describe, expect, test } from 'vitest'
import { days, hours } from '#app/lib/duration.ts'
import { type ComparedObject, comparisonFlash, comparisonJson, isShown, upstreamNote } from './upstream-text.ts'

const NOW = Date.UTC(2026, 10, 21, 9)
const REASON = 'Webhook request failed for over 12 hours'

const found = (over: Partial<ComparedObject> = {}): ComparedObject => ({
  object: 'job',
  outcome: 'fine',
  reason: null,
  since: null,
  message: null,
  ...over,
})
const repaired = (over: Partial<ComparedObject> = {}) =>
  found({ outcome: 'repaired', reason: REASON, since: NOW - hours(20), ...over })
const flash = (...objects: ComparedObject[]) => comparisonFlash({ outcome: 'compared', objects }, NOW, 'UTC')

describe('a card says', () => {
  test('that all is well', () => {
    expect(upstreamNote(found(), NOW, 'UTC')).toEqual({
      verdict: 'ok',
      sentence: 'Compared with ServiceM8: it lists this webhook as active.',
      at: NOW,
    })
  })

  test('what was repaired, why, and since when', () => {
    expect(upstreamNote(repaired(), NOW, 'UTC')).toMatchObject({
      verdict: 'warn',
      sentence: `Subscribed again: ServiceM8 had switched it off since 20 Nov, 13:00: ${REASON}.`,
    })
    expect(upstreamNote(repaired({ reason: null, since: null }), NOW, 'UTC').sentence).toBe(
      'Subscribed again: ServiceM8 no longer listed it.',
    )
  })

  test('so for a week', () => {
    const note = upstreamNote(repaired(), NOW, 'UTC')
    expect([isShown(note, NOW + days(7) - 1), isShown(note, NOW + days(7))]).toEqual([true, false])
  })
})

describe('the message after comparing says', () => {
  test('that nothing had to be repaired', () => {
    expect(flash(found())).toMatchObject({
      kind: 'success',
      description: 'ServiceM8 lists the webhook as active: nothing had to be repaired.',
    })
    expect(flash(found(), found({ object: 'note' })).description).toContain('all 2 webhooks')
    expect(flash().description).toBe('There is no webhook to compare.')
  })

  test('what was subscribed again', () => {
    expect(flash(repaired(), found({ object: 'note' }))).toEqual({
      kind: 'success',
      title: 'Subscribed again',
      description: `Job: Subscribed again: ServiceM8 had switched it off since 20 Nov, 13:00: ${REASON}.`,
    })
  })

  test('what could not be, in the words of the platform', () => {
    expect(flash(repaired(), found({ object: 'note', outcome: 'failed', message: 'insufficient_scope' }))).toEqual({
      kind: 'error',
      title: 'Not everything could be subscribed again',
      description: expect.stringContaining(
        'Note: ServiceM8 no longer listed it. Subscribing again did not work: insufficient_scope.',
      ),
    })
  })

  test('three of many, and how many more', () => {
    const many = Array.from({ length: 5 }, () => repaired())
    expect(flash(...many).description).toMatch(/And 2 more: see the cards\.$/)
  })

  test('that the platform could not be asked', () => {
    expect(comparisonFlash({ outcome: 'unreadable', message: 'ServiceM8 could not be reached.' }, NOW, 'UTC')).toEqual({
      kind: 'error',
      title: 'We could not ask ServiceM8',
      description: 'ServiceM8 could not be reached.',
    })
  })
})

test('a call answers the same with moments as text', () => {
  expect(comparisonJson([repaired(), found()]).objects).toMatchObject([
    { object: 'job', outcome: 'repaired', since: '2026-11-20T13:00:00.000Z' },
    { outcome: 'fine', since: null },
  ])
})

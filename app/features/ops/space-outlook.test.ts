import { describe, expect, it } from 'vitest'
import { sizeText } from '#app/domain/size-text.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { type Growth, outlookOf } from './space-outlook.ts'

const MB = 1024 * 1024
const NOW = days(20_000)

const growing = (over: Partial<Growth> = {}) =>
  outlookOf({
    now: NOW,
    usedBytes: 100 * MB,
    budgetBytes: 2_000 * MB,
    cameBytes: 50 * MB,
    since: NOW - days(1),
    oldestEventAt: NOW - days(10),
    keepMs: days(30),
    ...over,
  })

describe('where the file is heading', () => {
  it('is not known before there is something to tell it by', () => {
    expect(growing({ oldestEventAt: null })).toMatchObject({ perDayBytes: null, daysLeft: null })
    expect(growing({ oldestEventAt: NOW - minutes(20) }).perDayBytes).toBeNull()
  })

  it('is reckoned from part of a day while there is no more', () => {
    expect(growing({ oldestEventAt: NOW - hours(6), cameBytes: 10 * MB }).perDayBytes).toBe(40 * MB)
  })

  it('levels off when the oldest events begin to go', () => {
    expect(growing()).toEqual({
      perDayBytes: 50 * MB,
      daysLeft: null,
      sentence: 'About 50 MB a day. It levels off at about 1.1 GB in 20 days.',
    })
    expect(growing({ oldestEventAt: NOW - days(30) - minutes(5) }).sentence).toBe(
      'About 50 MB a day. Old data goes at the same pace: the size stays.',
    )
  })

  it('reaches the limit where it does not level off before', () => {
    expect(growing({ cameBytes: 200 * MB })).toMatchObject({
      daysLeft: 9,
      sentence: expect.stringContaining('Full in about 9 days'),
    })
    expect(growing({ cameBytes: 200 * MB, usedBytes: 2_100 * MB }).daysLeft).toBe(0)
  })
})

it('sizes are said with two figures', () => {
  expect([0, 900, 340 * 1024, 1.5 * MB, 47.4 * MB, 1_500 * MB, 20_000 * MB].map(sizeText)).toEqual([
    '0 KB',
    '1 KB',
    '340 KB',
    '1.5 MB',
    '47 MB',
    '1.5 GB',
    '20 GB',
  ])
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WantedReceipt } from '#app/domain/automations/conversation.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, minutes, seconds } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import { readHistory } from './history-rows.ts'
import { claimRows, messageKey, nextReceiptLook, receiptAfter } from './receipts.ts'

const ZONE = 'Europe/London'
const NOON = Date.UTC(2026, 0, 5, 12)
const TO = '+447700900123'

function sent(id: number, at: Millis, message = 'See you tomorrow', more: Partial<WantedReceipt> = {}): WantedReceipt {
  const effect = {
    kind: 'send_sms',
    class: 'customer',
    to: TO,
    message,
    credits: 1,
    regardingJobUuid: 'j',
    summary: '',
  } as const
  return {
    ...{ id, runId: id, stepId: 's1', itemKey: '0', state: 'open', stateAt: null, sentAt: at, nextLookAt: null },
    ...{ historyUuid: null, effect },
    ...more,
  }
}

const row = (uuid: string, at: Millis, message = 'See you tomorrow', more: Record<string, string> = {}) => ({
  ...{ uuid, direction: 'outbound', related_object_uuid: 'j', to: TO, message },
  timestamp: localStamp(wallAt(at, ZONE)),
  ...more,
})

function claimed(receipts: WantedReceipt[], rows: ReturnType<typeof row>[], sending: WantedReceipt[] = []) {
  const found = claimRows(receipts, readHistory(rows, 'sms'), { channel: 'sms', zone: ZONE, sending })
  return Object.fromEntries([...found].map(([id, [first]]) => [id, first?.uuid]))
}

describe('which row is whose', () => {
  test('one message, one row, whatever the clocks differ by up to ten minutes', () => {
    for (const skew of [-10, -3, 0, 4, 10]) {
      expect(claimed([sent(1, NOON)], [row('a', NOON + minutes(skew))])).toEqual({ 1: 'a' })
    }
    expect(claimed([sent(1, NOON)], [row('a', NOON + minutes(12))])).toEqual({})
  })

  test('a changed encoding, another line end and a cut text are still it; another text is not', () => {
    const text = `Hello Zoë, it's "£100" & more\r\n${'Long words follow. '.repeat(12)}`
    for (const shown of [
      text.trim().replaceAll('\r\n', '\n'),
      text.replaceAll('&', '&amp;').replaceAll("'", '’').replaceAll('"', '&quot;'),
      text.replaceAll('£', 'Â£').replaceAll('ë', 'Ã«'),
      text.slice(0, 150),
    ]) {
      expect([shown, claimed([sent(1, NOON, text)], [row('a', NOON, shown)])]).toEqual([shown, { 1: 'a' }])
    }
    expect(claimed([sent(1, NOON, 'At 9')], [row('a', NOON, 'At 10')])).toEqual({})
    expect(messageKey('sms', TO, 'Καλημέρα')).not.toBe(messageKey('sms', TO, 'Καληνύχτα'))
  })

  test('equal texts are told apart by time', () => {
    const [early, late] = [sent(1, NOON), sent(2, NOON + minutes(60))]
    expect(claimed([early, late], [row('b', NOON + minutes(60))])).toEqual({ 2: 'b' })
    expect(claimed([early, late], [row('a', NOON)])).toEqual({ 1: 'a' })
  })

  test('close together they are told apart by count, and one row for two proves neither', () => {
    const both = [sent(1, NOON), sent(2, NOON + minutes(5))]
    expect(claimed(both, [row('b', NOON + minutes(5)), row('a', NOON)])).toEqual({ 1: 'a', 2: 'b' })
    expect(claimed(both, [row('b', NOON + minutes(5))])).toEqual({})
  })

  test('a row that is listed twice is one, also for a message that came later', () => {
    const first = sent(1, NOON, undefined, { historyUuid: 'a', state: 'delivered' })
    const rows = [row('a', NOON), row('a2', NOON + seconds(1))]
    expect(claimed([first, sent(2, NOON + minutes(5))], rows)).toEqual({ 1: 'a' })
    expect(claimed([sent(1, NOON)], rows)).toEqual({ 1: 'a' })
  })

  test('a row may belong to a message that is still on its way', () => {
    const [lost, second] = [sent(1, NOON), sent(2, NOON + minutes(14))]
    const rows = [row('b', NOON + minutes(5))]
    expect(claimed([lost], rows)).toEqual({ 1: 'b' })
    expect(claimed([lost], rows, [second])).toEqual({})
    expect(claimed([lost], rows, [sent(3, NOON + minutes(14), 'Another text')])).toEqual({ 1: 'b' })
    expect(claimed([lost, second], [row('a', NOON), row('b', NOON + minutes(14))], [second])).toEqual({
      1: 'a',
      2: 'b',
    })
  })

  test('of two equal e-mails, none is opened or bounced while the other is not', () => {
    const mail = (id: number, at: Millis) =>
      sent(id, at, '', {
        effect: { kind: 'send_email', class: 'customer', to: 'ann@example.test', subject: 'Quote' } as never,
      })
    const both = [mail(1, NOON), mail(2, NOON + minutes(7))]
    const seen = { opened: '1', first_opened_at: '2026-01-05 13:04:00' }
    const listed = (uuid: string, at: Millis, more: Record<string, string>) =>
      row(uuid, at, '', { to: 'ann@example.test', subject: 'Quote', ...more })
    const states = (first: Record<string, string>, second: Record<string, string>) => {
      const rows = readHistory([listed('a', NOON, first), listed('b', NOON + minutes(2), second)], 'email')
      const at = { channel: 'email', zone: ZONE, sending: [], now: NOON + days(1) } as const
      const found = claimRows(both, rows, at)
      return both.map((one) => receiptAfter(one, found.get(one.id), at).state)
    }
    expect(states({}, {})).toEqual(['listed', 'listed'])
    expect(states(seen, {})).toEqual(['listed', 'listed'])
    expect(states({ bounced: '1' }, {})).toEqual(['listed', 'listed'])
    expect(states(seen, seen)).toEqual(['opened', 'opened'])
    expect(states({ bounced: '1' }, { bounced: '1' })).toEqual(['bounced', 'bounced'])
  })

  test('the hour that comes twice in autumn is no obstacle', () => {
    const second = Date.UTC(2026, 9, 25, 1, 30)
    const found = claimRows([sent(1, second)], readHistory([row('a', second)], 'sms'), {
      channel: 'sms',
      zone: ZONE,
      sending: [],
    })
    expect(receiptAfter(sent(1, second), found.get(1), { channel: 'sms', zone: ZONE, now: second })).toMatchObject({
      state: 'delivered',
      stateAt: second,
    })
  })

  /** Before clocks go back and forward, and in the hour that comes twice. */
  const CHANGES = [Date.UTC(2026, 9, 25, 1), Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 0)]

  test.each(CHANGES)('a message sent in the last second before clocks change at %d arrived after it', (change) => {
    for (const [at, listed] of [[change - 1_000, change] as const, [change, change - minutes(10)] as const]) {
      const found = claimRows([sent(1, at)], readHistory([row('a', listed)], 'sms'), {
        ...{ channel: 'sms', zone: ZONE, sending: [] },
      })
      const after = receiptAfter(sent(1, at), found.get(1), { channel: 'sms', zone: ZONE, now: change + days(1) })
      expect(after).toMatchObject({ state: 'delivered', stateAt: listed })
    }
  })

  test('rows without a time, a job or a name break nothing', () => {
    const rows = [
      {},
      { uuid: 'x' },
      { uuid: 'y', direction: 5, timestamp: 'soon' },
      { uuid: 'z', to: null, message: [] },
    ]
    const at = { channel: 'sms', zone: 'Nowhere', sending: [] } as const
    expect(claimRows([sent(1, NOON)], readHistory(rows, 'sms'), at).size).toBe(0)
  })

  test('whatever is lost, late or doubled: no row proves two messages, and none proves one that did not arrive', () => {
    const message = fc.record({
      at: fc.integer({ min: 0, max: 120 }),
      arrives: fc.boolean(),
      twice: fc.boolean(),
      text: fc.constantFrom('A', 'B'),
    })
    fc.assert(
      fc.property(
        fc.uniqueArray(message, { selector: ({ at }) => at, maxLength: 8 }),
        fc.integer({ min: -10, max: 10 }),
        fc.constantFrom(NOON, ...CHANGES.map((change) => change - minutes(60))),
        (all, skew, start) => {
          const receipts = all.map(({ at, text }, index) => sent(index, start + minutes(at), text))
          const rows = all.flatMap(({ at, arrives, twice, text }, index) => {
            const one = (uuid: string) => row(uuid, start + minutes(at + skew), text)
            return arrives ? [one(`${index}`), ...(twice ? [one(`${index}-again`)] : [])] : []
          })
          const found = claimed(receipts, rows)
          expect(new Set(Object.values(found)).size).toBe(Object.values(found).length)
          // In the hour that comes twice, two equal texts that both arrived may be taken for each other.
          if (start === NOON)
            for (const [id, uuid] of Object.entries(found)) expect([id, `${id}-again`]).toContain(uuid)
          for (const [id] of Object.entries(found)) expect(all[Number(id)]?.arrives).toBe(true)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

describe('what a look says', () => {
  const at = (now: Millis) => ({ channel: 'email', zone: ZONE, now }) as const
  const mail = (more: Record<string, string> = {}) =>
    readHistory([row('a', NOON, '', { subject: 'Quote', ...more })], 'email')

  test('an e-mail is listed, opened, and may bounce later', () => {
    expect(receiptAfter(sent(1, NOON), mail(), at(NOON + 1))).toMatchObject({ state: 'listed', stateAt: NOON })
    const opened = mail({ opened: '1', first_opened_at: '2026-01-05 13:04:00' })
    expect(receiptAfter(sent(1, NOON), opened, at(NOON + days(1)))).toMatchObject({
      state: 'opened',
      stateAt: NOON + minutes(64),
    })
    const bounced = receiptAfter(sent(1, NOON), mail({ bounced: '1' }), at(NOON + days(1)))
    expect(bounced).toMatchObject({ state: 'bounced', stateAt: NOON + days(1), nextLookAt: null })
  })

  test('an e-mail that was opened stays so', () => {
    const opened = sent(1, NOON, 'x', { state: 'opened', stateAt: NOON + 5 })
    expect(receiptAfter(opened, mail(), at(NOON + days(1)))).toMatchObject({ state: 'opened', stateAt: NOON + 5 })
  })

  test('half an hour without a row is not confirmed; a row that comes then still counts', () => {
    expect(receiptAfter(sent(1, NOON), [], at(NOON + minutes(29))).state).toBe('open')
    expect(receiptAfter(sent(1, NOON), [], at(NOON + minutes(30))).state).toBe('missing')
    expect(receiptAfter(sent(1, NOON, 'x', { state: 'missing' }), mail(), at(NOON + days(2))).state).toBe('listed')
  })

  test('looks come after 1, 5, 15 and 30 minutes, and for e-mails once a day for three days', () => {
    const looks = (channel: 'sms' | 'email') => {
      const found: number[] = []
      for (let now: Millis | null = NOON; now !== null; ) {
        now = nextReceiptLook(NOON, { channel, now })
        if (now !== null) found.push((now - NOON) / minutes(1))
      }
      return found
    }
    expect(looks('sms')).toEqual([1, 5, 15, 30])
    expect(looks('email')).toEqual([1, 5, 15, 30, 1440, 2880, 4320])
  })
})

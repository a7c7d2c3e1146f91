import { expect, test } from 'vitest'
import { timingOf, timingParts, wasSent } from './attempt-timing.ts'

const TIMING = { dnsMs: 4, connectMs: 12, tlsMs: null, firstByteMs: 0 }

test('the phases stand in the order they happen, and what is unknown stays unknown', () => {
  expect(timingParts(TIMING)).toEqual([
    { name: 'DNS', ms: 4 },
    { name: 'connect', ms: 12 },
    { name: 'TLS', ms: null },
    { name: 'first byte', ms: 0 },
  ])
})

test('a row that says why nothing was sent has no timing', () => {
  expect(timingOf({ ...TIMING, outcome: 'delivered' })).toEqual(TIMING)
  expect(timingOf({ ...TIMING, outcome: 'expired' })).toBeNull()
  expect(['timeout', 'blocked', 'stopped', 'expired'].map(wasSent)).toEqual([true, true, false, false])
})

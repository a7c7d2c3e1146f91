import { expect, it } from 'vitest'
import { readTraceparent, writeTraceparent } from './tracing.ts'

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', sampled: true }

it.each([
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', CALLER],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00', { ...CALLER, sampled: false }],
  ['cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-may-come', CALLER],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more', null],
  ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', null],
  ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', null],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', null],
  ['00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01', null],
  ['', null],
  [null, null],
])('traceparent %s', (header, place) => {
  expect(readTraceparent(header)).toEqual(place)
})

it('what is written can be read', () => {
  for (const sampled of [true, false]) {
    expect(readTraceparent(writeTraceparent({ ...CALLER, sampled }))).toEqual({ ...CALLER, sampled })
  }
})

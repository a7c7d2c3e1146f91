import { describe, expect, it } from 'vitest'
import { greetingAtGate, isLinkProof } from './gate.ts'

describe('the words above the gate', () => {
  it('are those of the specification', () => {
    expect(greetingAtGate({ heldSession: false, proofRefused: false })).toBe(
      'New account detected: Please sign in to link this account.',
    )
    const failed = 'Account check failed: Please sign in to authenticate.'
    expect(greetingAtGate({ heldSession: true, proofRefused: false })).toBe(failed)
    expect(greetingAtGate({ heldSession: false, proofRefused: true })).toBe(failed)
  })
})

describe('a token in the address', () => {
  it.each([['a'.repeat(43)], ['eyJh.eyJz.c2ln']])('%s could be a proof', (token) => {
    expect(isLinkProof(token)).toBe(true)
  })

  it.each([[null], [''], ['generic-flow'], ['a.b'], ['a'.repeat(44)], [`${'a'.repeat(9000)}.b.c`]])(
    '%s is a marker',
    (token) => {
      expect(isLinkProof(token)).toBe(false)
    },
  )
})

import { describe, expect, it } from 'vitest'
import {
  knownSignInMessage,
  linkedMessage,
  linkedSentence,
  problemOf,
  problemOfReturn,
  SIGN_IN_PROBLEMS,
  signInReturn,
} from './sign-in.ts'

describe('the address a sign-in returns to', () => {
  it('carries id, result and sentence', () => {
    expect(signInReturn('ext 1', null)).toBe('/fieldhook?accountUUID=ext+1&auth=success')
    expect(signInReturn('ext-1', null, true)).toBe(
      '/fieldhook?accountUUID=ext-1&auth=success&message=External+account+ext-1+linked+to+the+platform+account.',
    )
    expect(signInReturn(null, 'state_missing')).toMatch(/^\/fieldhook\?auth=error&message=ServiceM8\+sent\+you\+back/)
  })
})

describe('the message of an address', () => {
  it('is ours by sentence or by code', () => {
    expect(knownSignInMessage(SIGN_IN_PROBLEMS.denied)).toBe(SIGN_IN_PROBLEMS.denied)
    expect(knownSignInMessage('denied')).toBe(SIGN_IN_PROBLEMS.denied)
  })

  it.each([null, '', 'Call 0800 for help', 'constructor', '__proto__', '<b>x</b>'])('%j is not shown', (message) => {
    expect(knownSignInMessage(message)).toBeNull()
  })

  it('about a linked id is shown for that very id only', () => {
    const said = linkedSentence('ext-1')
    expect(linkedMessage(said, 'ext-1')).toBe(
      'Account linked successfully. External account ext-1 linked to the platform account.',
    )
    expect(linkedMessage(said, 'ext-2')).toBeNull()
    expect(linkedMessage(said, null)).toBeNull()
    expect(linkedMessage(null, 'ext-1')).toBeNull()
  })

  it('is different for every way to end', () => {
    const sentences = Object.values(SIGN_IN_PROBLEMS)
    expect(new Set(sentences).size).toBe(sentences.length)
  })
})

describe('what a failure means for the person', () => {
  it.each([
    ['unauthorized', 'exchange', 'code_refused'],
    ['unauthorized', 'vendor', 'code_refused'],
    ['forbidden', 'vendor', 'scope_missing'],
    ['forbidden', 'exchange', 'misconfigured'],
    ['refused', 'exchange', 'misconfigured'],
    ['refused', 'vendor', 'platform_error'],
    ['suspended', 'vendor', 'suspended'],
    ['rate_limited', 'exchange', 'platform_busy'],
    ['unavailable', 'vendor', 'platform_down'],
  ] as const)('%s during %s is %s', (outcome, during, problem) => {
    expect(problemOf(outcome, during)).toBe(problem)
  })

  it.each([
    ['error=access_denied', 'denied'],
    ['error=access_denied&code=x', 'denied'],
    ['error=server_error', 'platform_down'],
    ['error=anything', 'platform_error'],
    ['error=', 'platform_error'],
    ['', 'code_missing'],
    ['code=', 'code_missing'],
    ['code=abc', null],
  ])('a return with "%s" is %s', (query, problem) => {
    expect(problemOfReturn(new URLSearchParams(query))).toBe(problem)
  })
})

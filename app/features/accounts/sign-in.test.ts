import { describe, expect, it } from 'vitest'
import {
  problemOf,
  problemOfReturn,
  returnMessage,
  SIGN_IN_PROBLEMS,
  type SignInProblem,
  signInReturn,
} from './sign-in.ts'

describe('the address a sign-in returns to', () => {
  it('carries id, result and sentence', () => {
    expect(signInReturn('ext 1', null)).toBe('/fieldhook?accountUUID=ext+1&auth=success')
    expect(signInReturn('ext-1', null, true)).toBe(
      '/fieldhook?accountUUID=ext-1&auth=success&message=External+account+ext-1+linked+to+the+platform+account.&reason=linked',
    )
    expect(signInReturn(null, 'state_missing')).toMatch(/^\/fieldhook\?auth=error&message=ServiceM8\+sent\+you\+back/)
  })
})

describe('the message after a return', () => {
  it('is found by its reason', () => {
    expect(returnMessage('denied', 'ext-1')).toBe(SIGN_IN_PROBLEMS.denied)
    expect(returnMessage('linked', 'ext-1')).toBe(
      'Account linked successfully. External account ext-1 linked to the platform account.',
    )
    expect(returnMessage('linked', null)).toBeNull()
  })

  it.each([null, '', 'Call 0800 for help', 'constructor', '__proto__', '<b>x</b>', SIGN_IN_PROBLEMS.denied])(
    '%j is not shown',
    (reason) => {
      expect(returnMessage(reason, 'ext-1')).toBeNull()
    },
  )

  it('stands with its sentence in the address of every way to end', () => {
    for (const problem of Object.keys(SIGN_IN_PROBLEMS) as SignInProblem[]) {
      const { searchParams } = new URL(signInReturn('ext-1', problem), 'https://x.example')
      expect(returnMessage(searchParams.get('reason'), 'ext-1')).toBe(searchParams.get('message'))
    }
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

// The possible results of a sign-in, their texts, and the URL it returns to.

/** The ways a sign-in can fail. Logs contain the code, people see the sentence. */
export const SIGN_IN_PROBLEMS = {
  denied:
    'You closed the ServiceM8 sign-in without allowing access. Nothing was changed. Sign in again when you are ready.',
  platform_error: 'ServiceM8 could not finish the sign-in. Nothing was changed. Please try again.',
  state_missing: 'ServiceM8 sent you back without the sign-in reference. Nothing was changed. Please sign in again.',
  state_unknown: 'This sign-in was not started in this browser. Nothing was changed. Please sign in again here.',
  state_used: 'This sign-in was already used. Please sign in again.',
  state_expired: 'This sign-in took longer than 10 minutes. Nothing was changed. Please sign in again.',
  code_missing: 'ServiceM8 sent you back without a sign-in code. Nothing was changed. Please sign in again.',
  code_refused: 'ServiceM8 did not accept this sign-in. Nothing was changed. Please sign in again.',
  platform_down: 'ServiceM8 is not answering at the moment. Nothing was changed. Please try again in a few minutes.',
  platform_busy: 'ServiceM8 is limiting requests at the moment. Nothing was changed. Please try again in a minute.',
  scope_missing:
    'ServiceM8 did not allow reading which account you are. Please sign in again and allow all permissions.',
  suspended:
    'ServiceM8 says that this account is not active. Please check your ServiceM8 subscription, then sign in again.',
  misconfigured:
    'ServiceM8 does not accept this add-on at the moment. Nothing was changed. Please tell the operator of this add-on.',
  taken: 'You signed in to another ServiceM8 account. Nothing was changed. Sign in to the account of this page.',
  being_erased:
    'This account is being erased. Nothing was changed. Please sign in again in a few minutes to start over.',
  other_account: 'You signed in to another ServiceM8 account. You see that account now.',
} as const

export type SignInProblem = keyof typeof SIGN_IN_PROBLEMS

/** Title of the toast; its description is next to it (spec, section 8). */
export const SIGN_IN_TOASTS = {
  success: 'Authentication successful! Connected via OAuth2.',
  failure: 'Authentication failed',
} as const

/** Title of the toast when an external id was linked to an account (spec, section 8). */
export const ACCOUNT_LINKED = 'Account linked successfully'

/** Description of that toast. */
export function linkedSentence(externalId: string): string {
  return `External account ${externalId} linked to the platform account.`
}

/**
 * Returns the page's message after a return, from the `reason` in the URL; null when there is none. Never shows text
 * from the URL itself, which anyone could write.
 */
export function returnMessage(reason: string | null, accountId: string | null): string | null {
  if (reason === null) return null
  if (reason === LINKED) return accountId === null ? null : `${ACCOUNT_LINKED}. ${linkedSentence(accountId)}`
  return Object.hasOwn(SIGN_IN_PROBLEMS, reason) ? SIGN_IN_PROBLEMS[reason as SignInProblem] : null
}

/** The reason of a success that linked the id. */
export const LINKED = 'linked'

/**
 * Returns the path after a sign-in: one of our pages, with the reason as a message for people. `accountId` null = the
 * URL names no account. `linked` = the id belonged to no account before, and leads to this one from now on.
 */
export function signInReturn(accountId: string | null, problem: SignInProblem | null, linked = false): string {
  const query = new URLSearchParams()
  if (accountId !== null && accountId !== '') query.set('accountUUID', accountId)
  query.set('auth', problem === null ? 'success' : 'error')
  if (problem !== null) {
    query.set('message', SIGN_IN_PROBLEMS[problem])
    query.set('reason', problem)
  } else if (linked && accountId !== null) {
    query.set('message', linkedSentence(accountId))
    query.set('reason', LINKED)
  }
  return `/fieldhook?${query.toString()}`
}

type FailureKind = 'unauthorized' | 'forbidden' | 'suspended' | 'refused' | 'rate_limited' | 'unavailable'

/** Maps a failed platform call to a sign-in problem. */
export function problemOf(outcome: FailureKind, during: 'exchange' | 'vendor'): SignInProblem {
  if (outcome === 'forbidden') return during === 'vendor' ? 'scope_missing' : 'misconfigured'
  if (outcome === 'refused') return during === 'vendor' ? 'platform_error' : 'misconfigured'
  return PROBLEM_OF[outcome]
}

const PROBLEM_OF = {
  unauthorized: 'code_refused',
  suspended: 'suspended',
  rate_limited: 'platform_busy',
  unavailable: 'platform_down',
} as const

/** Returns why the platform sent the person back without a code; null when there is a code to exchange. */
export function problemOfReturn(params: URLSearchParams): SignInProblem | null {
  const error = params.get('error')
  if (error !== null) return RETURNED_ERRORS.get(error) ?? 'platform_error'
  return params.get('code') ? null : 'code_missing'
}

const RETURNED_ERRORS = new Map<string, SignInProblem>([
  ['access_denied', 'denied'],
  ['temporarily_unavailable', 'platform_down'],
  ['server_error', 'platform_down'],
  ['invalid_scope', 'misconfigured'],
  ['unauthorized_client', 'misconfigured'],
])

// How a sign-in can end, the words for it, and the address it returns to.

/** Ends other than well. The code is what logs hold; the sentence is what a person reads. */
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
  taken:
    'This page belongs to another ServiceM8 account than the one you signed in to. Nothing was changed. Please sign in to the account the page was opened from.',
  being_erased:
    'This account is being erased. Nothing was changed. Please sign in again in a few minutes to begin anew.',
  other_account:
    'You signed in to another ServiceM8 account than the page was opened for. This is the account you signed in to.',
} as const

export type SignInProblem = keyof typeof SIGN_IN_PROBLEMS

/** Title of the toast, description beside it (spec, section 8). */
export const SIGN_IN_TOASTS = {
  success: 'Authentication successful! Connected via OAuth2.',
  failure: 'Authentication failed',
} as const

/** Title of the toast when an external id was linked to an account (spec, section 8). */
export const ACCOUNT_LINKED = 'Account linked successfully'

/** Its description. */
export function linkedSentence(externalId: string): string {
  return `External account ${externalId} linked to the platform account.`
}

/**
 * What the page says after a return, by the `reason` of the address; null = nothing. Never the address's own words, so that nobody
 * can put theirs on the page.
 */
export function returnMessage(reason: string | null, accountId: string | null): string | null {
  if (reason === null) return null
  if (reason === LINKED) return accountId === null ? null : `${ACCOUNT_LINKED}. ${linkedSentence(accountId)}`
  return Object.hasOwn(SIGN_IN_PROBLEMS, reason) ? SIGN_IN_PROBLEMS[reason as SignInProblem] : null
}

const LINKED = 'linked'

/**
 * Where the browser goes after a sign-in: a path of ours, with a message for people and its reason for the page. `accountId` null = the address names no account. `linked` = the id
 * was nobody's until now, and leads to the account from now on.
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

/** What a failed platform call means for the person who signs in. */
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

/** What the platform sent the person back with: a code to exchange, or the reason why there is none. */
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

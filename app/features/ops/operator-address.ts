// The operator page's address, its form, and the messages in reply.
import type { Flash } from '#app/lib/flash.ts'

const OPERATOR_PATH = '/operator'

/** Parameter: the account that the page asks about signing everyone out of. */
export const ASKS = 'sign_out'

/** `accountUUID` = the operator's own account; `page` of the list of accounts. */
export function operatorAddress(
  accountUUID: string,
  { page = 1, asked }: { page?: number; asked?: string } = {},
): string {
  const query = {
    accountUUID,
    admin: 'yes',
    ...(page > 1 && { page: String(page) }),
    ...(asked !== undefined && { [ASKS]: asked }),
  }
  return `${OPERATOR_PATH}?${new URLSearchParams(query)}`
}

export function readEndSessions(form: URLSearchParams): string | null {
  const account = form.get('account') ?? ''
  return form.get('intent') === 'end_sessions' && /^[\w-]{1,64}$/.test(account) ? account : null
}

/** `name` of the account, '' = none; `ended` = how many browsers were signed out. */
export function endedFlash(name: string, ended: number): Flash {
  const of = name === '' ? 'that account' : name
  if (ended === 0) return { kind: 'info', title: 'Nobody was signed in', description: `To ${of}.` }
  return {
    kind: 'success',
    title: `${ended === 1 ? 'One browser was' : `${ended} browsers were`} signed out`,
    description: `Of ${of}. Deliveries and automations continue.`,
  }
}

export const NOT_ENDED: Flash = {
  kind: 'error',
  title: 'Nothing was changed',
  description: 'There is no such account. Load the page again.',
}

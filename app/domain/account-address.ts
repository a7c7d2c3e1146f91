// The addresses of the account page, so every link uses the same format.

const ACCOUNT_PATH = '/account'

export interface AccountLink {
  accountUUID: string
  admin: boolean
}

const ACCOUNT_STEPS = ['end_all', 'erase'] as const
/** A confirmation open on the page. */
export type AccountStep = (typeof ACCOUNT_STEPS)[number]

export function accountQuery({ accountUUID, admin }: AccountLink, step?: AccountStep): Record<string, string> {
  return { accountUUID, ...(admin && { admin: 'yes' }), ...(step && { step }) }
}

/** `asked`: the filter of the list; empty values are left out. */
export function accountAddress(
  account: AccountLink,
  step?: AccountStep,
  asked: Readonly<Record<string, string>> = {},
): string {
  const filled = Object.entries(asked).filter(([, value]) => value !== '')
  return `${ACCOUNT_PATH}?${new URLSearchParams([...Object.entries(accountQuery(account, step)), ...filled])}`
}

/** The account a page shows, from its loader's data; null on the gate page. */
export function shownAccount(page: unknown): AccountLink | null {
  if (typeof page !== 'object' || page === null || ('view' in page && page.view === 'gate')) return null
  const named = 'account' in page && typeof page.account === 'object' && page.account !== null ? page.account : page
  if (!('accountUUID' in named) || typeof named.accountUUID !== 'string' || named.accountUUID === '') return null
  return { accountUUID: named.accountUUID, admin: 'admin' in named && named.admin === true }
}

export function readAccountStep(params: URLSearchParams): AccountStep | null {
  return ACCOUNT_STEPS.find((step) => step === params.get('step')) ?? null
}

export function exportAddress({ accountUUID }: AccountLink): string {
  return `/api/export?${new URLSearchParams({ accountUUID })}`
}

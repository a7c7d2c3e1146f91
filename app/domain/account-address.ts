// The addresses of the account pages, so every link uses the same format.

const ACCOUNT_PATH = '/account'

/** The account, as the platform named it, and the role for which a page is requested: part of every link. */
export interface AccountLink {
  accountUUID: string
  admin: boolean
  /** Who is signed in, if the platform said so: in no link, but what they type is theirs. */
  person?: string
}

/** The pages below "Account and security", by the last part of their path. */
export const ACCOUNT_PARTS = ['sessions', 'activity', 'retention', 'export', 'erase'] as const
export type AccountPart = (typeof ACCOUNT_PARTS)[number]

/** Parameter: the question that the page of the sessions opens. */
export const END_ALL = { step: 'end_all' } as const

/** The part of a query that names the account. */
export function accountQuery({ accountUUID, admin }: AccountLink): Record<string, string> {
  return { accountUUID, ...(admin && { admin: 'yes' }) }
}

/** `asked`: more of the query; empty values are left out. */
export function linkTo(path: string, account: AccountLink, asked: Readonly<Record<string, string>> = {}): string {
  const filled = Object.entries(asked).filter(([, value]) => value !== '')
  return `${path}?${new URLSearchParams([...Object.entries(accountQuery(account)), ...filled])}`
}

/** `part` = a page below; null = the first one. */
export function accountAddress(
  account: AccountLink,
  part: AccountPart | null = null,
  asked: Readonly<Record<string, string>> = {},
): string {
  return linkTo(part === null ? ACCOUNT_PATH : `${ACCOUNT_PATH}/${part}`, account, asked)
}

/** The page below at this path, read as loosely as the router does; null = another path. */
export function accountPartAt(path: string): AccountPart | null {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  const plain = path.slice(0, end).toLowerCase()
  return ACCOUNT_PARTS.find((part) => plain === `${ACCOUNT_PATH}/${part}`) ?? null
}

/** Where an address leads that was given out while all of it stood on one page; null = it is up to date. */
export function movedAccountAddress(account: AccountLink, query: URLSearchParams): string | null {
  if (query.get('step') === 'erase') return accountAddress(account, 'erase')
  if (query.get('step') === END_ALL.step) return accountAddress(account, 'sessions', END_ALL)
  const asked = ['log', 'group', 'outcome', 'from', 'until', 'before'].map((name) => [name, query.get(name) ?? ''])
  if (asked.every(([, value]) => value === '')) return null
  return accountAddress(account, 'activity', Object.fromEntries(asked))
}

/** The account that the address of a page names, for links; it proves nothing. Null when it names none. */
export function accountInAddress(search: string): AccountLink | null {
  const query = new URLSearchParams(search)
  const accountUUID = query.get('accountUUID') ?? ''
  return accountUUID === '' ? null : { accountUUID, admin: query.get('admin') === 'yes' }
}

/** The account a page shows, from its loader's data; null on the gate page. */
export function shownAccount(page: unknown): AccountLink | null {
  if (typeof page !== 'object' || page === null || ('view' in page && page.view === 'gate')) return null
  const named = 'account' in page && typeof page.account === 'object' && page.account !== null ? page.account : page
  if (!('accountUUID' in named) || typeof named.accountUUID !== 'string' || named.accountUUID === '') return null
  return { accountUUID: named.accountUUID, admin: 'admin' in named && named.admin === true }
}

export function exportAddress({ accountUUID }: AccountLink): string {
  return `/api/export?${new URLSearchParams({ accountUUID })}`
}

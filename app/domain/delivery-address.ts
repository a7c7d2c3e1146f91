// The addresses of the two delivery pages and the way back, so every link uses the same format.
import type { Millis } from '../lib/clock.ts'
import type { EndpointKey } from './endpoint-key.ts'

/** The account, as the platform named it, and the role for which a page is requested: part of every link. */
export interface LinkAccount {
  accountUUID: string
  admin: boolean
}

/** What a page of an account says of it. */
export interface AccountFacts {
  accountName: string
  /** The account's IANA zone. */
  timezone: string
  /** The server's time. */
  now: Millis
}

/** What a page of an account is given. */
export interface AccountPage extends LinkAccount, AccountFacts {}

/** The part of a query that names the account. */
export function accountQuery({ accountUUID, admin }: LinkAccount): Record<string, string> {
  return admin ? { accountUUID, admin: 'yes' } : { accountUUID }
}

/** The page of one delivery. */
export function deliveryAddress(account: LinkAccount, deliveryId: number): string {
  return `/deliveries/${deliveryId}?${new URLSearchParams(accountQuery(account))}`
}

/** The search with its filter. Empty values are left out. */
export function searchAddress(account: LinkAccount, asked: Readonly<Record<string, string>> = {}): string {
  const filled = Object.entries(asked).filter(([, value]) => value !== '')
  return `/deliveries?${new URLSearchParams([...Object.entries(accountQuery(account)), ...filled])}`
}

/** The webhook manager, scrolled to the card of a webhook or rule if one is given. */
export function managerAddress(account: LinkAccount, card: EndpointKey | null = null): string {
  const place = card === null ? '' : `#${typeof card === 'number' ? `webhook-${card}` : card}`
  return `/fieldhook?${new URLSearchParams(accountQuery(account))}${place}`
}

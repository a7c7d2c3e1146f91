// The addresses of the two delivery pages and the way back, so every link uses the same format.
import type { Millis } from '../lib/clock.ts'
import { type AccountLink, linkTo } from './account-address.ts'
import type { EndpointKey } from './endpoint-key.ts'

/** What a page of an account says of it. */
export interface AccountFacts {
  accountName: string
  /** The account's IANA zone. */
  timezone: string
  /** The server's time. */
  now: Millis
}

/** What a page of an account is given. */
export interface AccountPage extends AccountLink, AccountFacts {}

/** The page of one delivery. */
export function deliveryAddress(account: AccountLink, deliveryId: number): string {
  return linkTo(`/deliveries/${deliveryId}`, account)
}

/** The search with its filter. Empty values are left out. */
export function searchAddress(account: AccountLink, asked: Readonly<Record<string, string>> = {}): string {
  return linkTo('/deliveries', account, asked)
}

/** The webhook manager, scrolled to the card of a webhook or rule if one is given. */
export function managerAddress(account: AccountLink, card: EndpointKey | null = null): string {
  const place = card === null ? '' : `#${typeof card === 'number' ? `webhook-${card}` : card}`
  return `${linkTo('/fieldhook', account)}${place}`
}

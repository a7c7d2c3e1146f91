// Addresses of the two pages about deliveries, and the way back. Written here, so that every link says the same.
import type { EndpointKey } from './endpoint-key.ts'

/** Which account, as the platform named it, and in which role a page is asked for: part of every link. */
export interface LinkAccount {
  accountUUID: string
  admin: boolean
}

/** The part of a query that names the account. */
export function accountQuery({ accountUUID, admin }: LinkAccount): Record<string, string> {
  return admin ? { accountUUID, admin: 'yes' } : { accountUUID }
}

/** The page of one delivery. */
export function deliveryAddress(account: LinkAccount, deliveryId: number): string {
  return `/deliveries/${deliveryId}?${new URLSearchParams(accountQuery(account))}`
}

/** The search, with what is looked for. Empty texts are left out. */
export function searchAddress(account: LinkAccount, asked: Readonly<Record<string, string>> = {}): string {
  const filled = Object.entries(asked).filter(([, value]) => value !== '')
  return `/deliveries?${new URLSearchParams([...Object.entries(accountQuery(account)), ...filled])}`
}

/** The webhook manager, at the card of a webhook or a rule when one is named. */
export function managerAddress(account: LinkAccount, card: EndpointKey | null = null): string {
  const place = card === null ? '' : `#${typeof card === 'number' ? `webhook-${card}` : card}`
  return `/fieldhook?${new URLSearchParams(accountQuery(account))}${place}`
}

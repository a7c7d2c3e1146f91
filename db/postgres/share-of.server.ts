// The share of an account: which of 64 parts of the work it belongs to, for ever.
import { createHash } from 'node:crypto'

export const SHARES = 64

/** 0 to 63. Must equal `share_of` (db/migrations-postgres/0002_members.sql). */
export function shareOf(accountUuid: string): number {
  return (createHash('md5').update(accountUuid).digest()[0] ?? 0) % SHARES
}

// The messages between the siege and its helper processes.

/** The target of the attacks, and the attackers' credentials. */
export interface SiegeField {
  /** The server's port. */
  port: number
  /** Port of the platform's stand-in, which signs openings of the hostile account. */
  platformPort: number
  /** The hostile tenant: signed in, with a webhook whose address never answers. */
  account: string
  cookie: string
  /** The secret part of the hostile tenant's own event address. */
  token: string
  /** An ordinary account, whose id a stranger may know. */
  victim: string
}

export interface SiegeOrder {
  do: 'begin'
  field: SiegeField
  /** Delay between the starts of two attacks, ms. */
  rampMs: number
  /** Multiplier of each attack's rate: 1 = as fast as one machine can. */
  pace: number
  /** Prefixes of attack names; empty = all. */
  only: string[]
  seed: number
}

export interface AttackCounts {
  name: string
  sent: number
  /** Skipped because one machine's maximum was still in flight. */
  skipped: number
  /** By status, or in words: "cut off". */
  answers: Record<string, number>
  /** Violations: one sentence for each kind. */
  breaches: string[]
}

export type AttackMessage =
  | { at: 'listening'; hostAndPort: string }
  /** `when`: ms since 1970. */
  | { at: 'began'; name: string; when: number }
  | { at: 'told'; counts: AttackCounts[] }
  | { at: 'ended' }

/** The first message to the platform's stand-in. */
export interface PlatformOrder {
  /** The product's origin: the redirect target, and the host of allowed subscriptions. */
  origin: string
  appId: string
  appSecret: string
  accounts: { uuid: string; name: string }[]
  /** The account with 5,000 records of 6 KB and e-mail templates full of `<`. */
  hostile: string
}

export type PlatformMessage = { at: 'listening'; port: number }

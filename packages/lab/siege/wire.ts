// What the siege and the processes beside it say to each other.

/** Whom the attacks are made against, and with whose means. */
export interface SiegeField {
  /** Of the server. */
  port: number
  /** Of the platform's stand-in: signs openings of the hostile account. */
  platformPort: number
  /** The hostile tenant: signed in, with a webhook whose address never answers. */
  account: string
  cookie: string
  /** The secret part of the hostile tenant's own address for events. */
  token: string
  /** An ordinary account, as a stranger may know its id. */
  victim: string
}

export interface SiegeOrder {
  do: 'begin'
  field: SiegeField
  /** One attack after the other begins, so many ms apart. */
  rampMs: number
  /** Of each attack's rate: 1 = as fast as it goes on one machine. */
  pace: number
  /** Names begin with one of these; empty = all. */
  only: string[]
  seed: number
}

export interface AttackCounts {
  name: string
  sent: number
  /** Not sent because as many as one machine has were still waiting. */
  skipped: number
  /** By status, or in words: "cut off". */
  answers: Record<string, number>
  /** What must not happen and did: a sentence for each kind. */
  breaches: string[]
}

export type AttackMessage =
  | { at: 'listening'; hostAndPort: string }
  /** `when`: ms since 1970. */
  | { at: 'began'; name: string; when: number }
  | { at: 'told'; counts: AttackCounts[] }
  | { at: 'ended' }

/** To the platform's stand-in, as its first message. */
export interface PlatformOrder {
  /** Of the product: where people are sent back to, and what may be subscribed. */
  origin: string
  appId: string
  appSecret: string
  accounts: { uuid: string; name: string }[]
  /** Which of them has 5,000 records of 6 KB and e-mail templates full of `<`. */
  hostile: string
}

export type PlatformMessage = { at: 'listening'; port: number }

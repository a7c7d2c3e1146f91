// What the soak and the process that abuses its server say to each other.

export interface AbuseOrder {
  do: 'begin'
  /** Of the server. */
  port: number
  /** The secret part of an address that is known: junk goes there too. */
  token: string
  seed: number
  /** Connections that send a byte a second. */
  slow: number
}

export interface AbuseCounts {
  /** Connections of slow senders so far. */
  slowOpened: number
  /** Open at this moment. */
  slowOpen: number
  /** The longest that one was kept, ms. */
  slowLongestMs: number
  /** Pieces of junk sent, and answers to them by status; 0 = cut off without one. */
  junk: number
  answers: Record<string, number>
  /** Deliveries that reached a hostile receiver. */
  hostileRequests: number
}

export type AbuseMessage =
  /** Addresses that misbehave, and their `host:port`. */
  { at: 'listening'; urls: string[]; hostPorts: string[] } | { at: 'told'; counts: AbuseCounts }

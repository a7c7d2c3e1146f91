// The messages between the soak and its abusive process.

export interface AbuseOrder {
  do: 'begin'
  /** The server's port. */
  port: number
  /** The secret part of a known address: junk goes there too. */
  token: string
  seed: number
  /** Connections that send a byte a second. */
  slow: number
}

export interface AbuseCounts {
  /** Connections of slow senders so far. */
  slowOpened: number
  /** Currently open. */
  slowOpen: number
  /** The longest time one was kept, ms. */
  slowLongestMs: number
  /** Junk requests sent, and their answers by status; 0 = cut off without one. */
  junk: number
  answers: Record<string, number>
  /** Deliveries that reached a hostile receiver. */
  hostileRequests: number
}

export type AbuseMessage =
  /** Misbehaving addresses, and their `host:port`. */
  { at: 'listening'; urls: string[]; hostPorts: string[] } | { at: 'told'; counts: AbuseCounts }

// The input and outcomes of a call to a user's address. The only implementation is `outbound.server.ts`.
import type { Millis } from '#app/lib/clock.ts'
import type { AddressReason } from './safe-address.ts'

/** A POST to an address a user gave us. */
export interface OutboundRequest {
  url: string
  headers: Record<string, string>
  body: string
  /** Whole exchange, ms. Default 15 000. */
  timeoutMs?: number
}

/** Durations in ms, null where that phase did not happen (a reused connection has no DNS, connect or TLS). */
export interface OutboundTiming {
  totalMs: number
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  firstByteMs: number | null
}

/** `response`: an answer arrived, with any status. Everything else: no usable answer. Never thrown, always returned. */
export type OutboundOutcome =
  | {
      outcome: 'response'
      status: number
      /** Lower-case names; values decoded as latin1; limited in size. */
      headers: Record<string, string>
      /** At most 4 KB of text, '' for other types. */
      body: string
      bodyTruncated: boolean
      peerIp: string | null
      timing: OutboundTiming
    }
  | {
      outcome: 'blocked' | 'dns' | 'refused' | 'reset' | 'tls' | 'timeout' | 'protocol'
      /** One sentence for people; names no internal host. */
      sentence: string
      /** The reason when the address is blocked. */
      refused?: AddressReason
      /** The request was sent, on a new or a kept connection. */
      reached?: boolean
      peerIp: string | null
      timing: OutboundTiming
    }

/** A probe of an address, without an event. */
export interface ProbeRequest {
  url: string
  headers: Record<string, string>
  /** Whole probe, ms. */
  timeoutMs: number
}

/** The result of a probe, up to where it ended. */
export interface OutboundProbe {
  result: OutboundOutcome
  /** Where the probe ended: everything before succeeded. Any answer, with any status, is `answer`. */
  endedAt: 'address' | 'name' | 'connection' | 'security' | 'answer'
  /** The address is https. */
  secure: boolean
  /** The host is an IP address, so there is no name to look up. */
  literal: boolean
  /** The server's accepted certificate; null without https, or when none was accepted. */
  certificate: { validUntil: Millis; issuer: string | null } | null
}

export interface Outbound {
  post(request: OutboundRequest): Promise<OutboundOutcome>
  /**
   * Probes an address over its own new connection: an OPTIONS request without a body, which by HTTP's rules does
   * nothing (decision 0010). The same guard, limits and sentences as `post`; no redirects and no retries.
   */
  probe(request: ProbeRequest): Promise<OutboundProbe>
  /**
   * Connects as `post` would on a new connection, with the same guard and limits, and closes without a request. False =
   * it does not connect. Never rejects.
   */
  knock(url: string): Promise<boolean>
  /**
   * Whether this address would be allowed. Static rules first, then name resolution. `unresolved` = the name has no
   * answer now (accepted with a warning when saving).
   */
  check(
    url: string,
  ): Promise<
    | { verdict: 'allowed' }
    | { verdict: 'unresolved'; sentence: string }
    | { verdict: 'blocked'; sentence: string; refused?: AddressReason }
  >
  close(): Promise<void>
}

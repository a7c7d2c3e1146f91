// What a call to a user's address takes and how it can end. The one implementation is `outbound.server.ts`.
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

/** `response`: an answer arrived, whatever it says. Everything else: no usable answer. Never thrown, always returned. */
export type OutboundOutcome =
  | {
      outcome: 'response'
      status: number
      /** Lower-case names; values decoded as latin1; capped. */
      headers: Record<string, string>
      /** At most 4 KB of text, '' for other types. */
      body: string
      bodyTruncated: boolean
      peerIp: string | null
      timing: OutboundTiming
    }
  | {
      outcome: 'blocked' | 'dns' | 'refused' | 'reset' | 'tls' | 'timeout' | 'protocol'
      /** One sentence for a person; names no internal host. */
      sentence: string
      /** Blocked because of the address, and why. */
      refused?: AddressReason
      peerIp: string | null
      timing: OutboundTiming
    }

/** A look at an address that carries no event. */
export interface ProbeRequest {
  url: string
  headers: Record<string, string>
  /** Whole look, ms. */
  timeoutMs: number
}

/** What a look found out, up to where it ended. */
export interface OutboundProbe {
  result: OutboundOutcome
  /** What it ended at: everything before that went well. An answer, whatever it says, is `answer`. */
  endedAt: 'address' | 'name' | 'connection' | 'security' | 'answer'
  /** The address is https. */
  secure: boolean
  /** The host is an IP address, so there is no name to look up. */
  literal: boolean
  /** The one the server showed and that was accepted; null without https, or when none was. */
  certificate: { validUntil: Millis; issuer: string | null } | null
}

export interface Outbound {
  post(request: OutboundRequest): Promise<OutboundOutcome>
  /**
   * Looks at an address over a new connection of its own: an OPTIONS request without a body, which by HTTP's own rules does
   * nothing (decision 0010). The same guard, limits and sentences as `post`; nothing is followed or repeated.
   */
  probe(request: ProbeRequest): Promise<OutboundProbe>
  /**
   * Would this address be let through? Static rules first, then the name is resolved.
   * `unresolved` = the name has no answer now (accepted with a warning when saving).
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

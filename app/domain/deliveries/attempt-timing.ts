// Where the time of an attempt went, in words.

/** ms. Null = the phase did not happen (an open connection was used again), was not reached, or was not measured. */
export interface AttemptTiming {
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  /** From the moment the request left to the first byte of the answer. */
  firstByteMs: number | null
}

/** The phases in the order they happen, as they are named to people. */
export function timingParts(timing: AttemptTiming): { name: string; ms: number | null }[] {
  return [
    { name: 'DNS', ms: timing.dnsMs },
    { name: 'connect', ms: timing.connectMs },
    { name: 'TLS', ms: timing.tlsMs },
    { name: 'first byte', ms: timing.firstByteMs },
  ]
}

/** Some rows among the attempts only say why nothing was sent: nothing about them was measured. */
export function wasSent(outcome: string): boolean {
  return outcome !== 'expired' && outcome !== 'stopped'
}

/** The timing of a row as far as it has one. */
export function timingOf(attempt: AttemptTiming & { outcome: string }): AttemptTiming | null {
  if (!wasSent(attempt.outcome)) return null
  const { dnsMs, connectMs, tlsMs, firstByteMs } = attempt
  return { dnsMs, connectMs, tlsMs, firstByteMs }
}

// The phases of an attempt's duration, in words.

/** ms. Null = the phase did not happen (an open connection was reused), was not reached, or was not measured. */
export interface AttemptTiming {
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  /** From sending the request to the first byte of the response. */
  firstByteMs: number | null
}

/** The phases in order, with their display names. */
export function timingParts(timing: AttemptTiming): { name: string; ms: number | null }[] {
  return [
    { name: 'DNS', ms: timing.dnsMs },
    { name: 'connect', ms: timing.connectMs },
    { name: 'TLS', ms: timing.tlsMs },
    { name: 'first byte', ms: timing.firstByteMs },
  ]
}

/** Was it sent? Some attempt rows only explain why nothing was sent, and have no timing. */
export function wasSent(outcome: string): boolean {
  return outcome !== 'expired' && outcome !== 'stopped'
}

/** The timing of an attempt row; null when nothing was sent. */
export function timingOf(attempt: AttemptTiming & { outcome: string }): AttemptTiming | null {
  if (!wasSent(attempt.outcome)) return null
  const { dnsMs, connectMs, tlsMs, firstByteMs } = attempt
  return { dnsMs, connectMs, tlsMs, firstByteMs }
}

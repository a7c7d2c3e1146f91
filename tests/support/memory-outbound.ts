// The outside world for deliveries: scripted addresses that answer on a given clock and record what arrived.
import type { Outbound, OutboundOutcome } from '#app/adapters/outbound/outbound.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'

interface SentRequest {
  url: string
  headers: Record<string, string>
  body: string
  at: Millis
}

export interface MemoryAnswer {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Fails in this way, without any answer. */
  fails?: 'blocked' | 'dns' | 'refused' | 'reset' | 'tls' | 'timeout' | 'protocol'
  /** It fails after the request was sent. */
  reached?: boolean
  /** Delay of the answer in ms; default 0. */
  afterMs?: number
}

type Behaviour = (request: SentRequest, count: number) => MemoryAnswer

export interface MemoryOutbound extends Outbound {
  /** Everything that arrived, in order of arrival. */
  sent: SentRequest[]
  sentTo(url: string): SentRequest[]
  /** Addresses that were only probed, in order. */
  probed: string[]
  /** Addresses that were only dialled, in order. */
  knocked: { url: string; at: Millis }[]
  /** Sets the behaviour of an address; others answer 200 at once. `count` starts at 1. */
  when(url: string, behaviour: Behaviour | MemoryAnswer): void
  inFlight(): number
  /** The highest number of requests open at one address at the same time. */
  mostAtOnce(url: string): number
}

const TIMEOUT_MS = 15_000

/** An address that never answers: the call ends by its own timeout. */
export const HANGS: MemoryAnswer = { fails: 'timeout', afterMs: TIMEOUT_MS }

export function memoryOutbound(clock: Clock): MemoryOutbound {
  const sent: SentRequest[] = []
  const probed: string[] = []
  const knocked: { url: string; at: Millis }[] = []
  const behaviours = new Map<string, Behaviour>()
  const counts = new Map<string, number>()
  const open = new Map<string, number>()
  const most = new Map<string, number>()
  let inFlight = 0

  function change(url: string, by: number): void {
    inFlight += by
    const now = (open.get(url) ?? 0) + by
    open.set(url, now)
    most.set(url, Math.max(most.get(url) ?? 0, now))
  }

  return {
    sent,
    probed,
    knocked,
    sentTo: (url) => sent.filter((request) => request.url === url),
    when(url, behaviour) {
      behaviours.set(url, typeof behaviour === 'function' ? behaviour : () => behaviour)
    },
    inFlight: () => inFlight,
    mostAtOnce: (url) => most.get(url) ?? 0,
    async post({ url, headers, body }) {
      const request: SentRequest = { url, headers, body, at: clock.now() }
      sent.push(request)
      const count = (counts.get(url) ?? 0) + 1
      counts.set(url, count)
      change(url, 1)
      const answer = behaviours.get(url)?.(request, count) ?? {}
      const { afterMs = 0 } = answer
      if (afterMs > 0) {
        await new Promise<void>((resolve) => {
          clock.wake(clock.now() + afterMs, resolve)
        })
      }
      change(url, -1)
      return outcomeOf(answer, afterMs)
    },
    async probe({ url }) {
      probed.push(url)
      const answer = behaviours.get(url)?.({ url, headers: {}, body: '', at: clock.now() }, counts.get(url) ?? 0) ?? {}
      const seen = { endedAt: 'answer', secure: true, literal: false, certificate: null } as const
      return { result: outcomeOf(answer, 0), ...seen }
    },
    async knock(url) {
      knocked.push({ url, at: clock.now() })
      const answer = behaviours.get(url)?.({ url, headers: {}, body: '', at: clock.now() }, counts.get(url) ?? 0) ?? {}
      return answer.fails === undefined
    },
    check: async () => ({ verdict: 'allowed' }),
    close: async () => undefined,
  }
}

function outcomeOf(
  { status = 200, headers = {}, body = '', fails, reached = false }: MemoryAnswer,
  totalMs: number,
): OutboundOutcome {
  const timing = { totalMs, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: totalMs }
  return fails
    ? { outcome: fails, sentence: `It ended as "${fails}".`, reached, peerIp: null, timing }
    : { outcome: 'response', status, headers, body, bodyTruncated: false, peerIp: '203.0.113.9', timing }
}

// Traces for operators with a collector. Implemented only by `tracing.server.ts`; without a collector it is not loaded.
// Spans never contain content, an address, a token or an account's id.

/** A position in a trace that can be a parent of other spans. */
export interface TracePlace {
  traceId: string
  spanId: string
  sampled: boolean
}

type Facts = Readonly<Record<string, string | number | boolean>>

export interface Span {
  readonly place: TracePlace
  tell(facts: Facts): void
  /** Ends it; `failed` marks it as failed. Only the first call counts. */
  end(failed?: boolean): void
  /** Spans that `work` starts become children of this span. */
  around<T>(work: () => T): T
}

interface SpanStart {
  /** server: an incoming call · client: an outgoing call · internal: our own work. */
  kind: 'server' | 'client' | 'internal'
  facts: Facts
  /** Default: the current span; null = it starts a trace. */
  below?: TracePlace | null
  /** An earlier start, epoch ms. */
  since?: number
}

export interface Tracing {
  begin(name: string, start: SpanStart): Span
  /** The current span. */
  current(): Span | null
  /** A stable, irreversible pseudonym of an account. */
  pseudonym(accountUuid: string): string
  /** Sends the remaining spans and stops. */
  stop(): Promise<void>
}

/** `traceparent` of W3C Trace Context; null = missing or unreadable. */
export function readTraceparent(header: string | null): TracePlace | null {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header?.trim() ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function writeTraceparent({ traceId, spanId, sampled }: TracePlace): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

// Traces, for whoever runs a collector. The one implementation is `tracing.server.ts`; without a collector there is none, and nothing
// of it is loaded. Spans never hold content, an address, a token or an account's id.

/** A place in a trace that others can be hung below. */
export interface TracePlace {
  traceId: string
  spanId: string
  sampled: boolean
}

type Facts = Readonly<Record<string, string | number | boolean>>

export interface Span {
  readonly place: TracePlace
  tell(facts: Facts): void
  /** Ends it; `failed` marks it so. Only the first time counts. */
  end(failed?: boolean): void
  /** What `work` begins is hung below this span. */
  around<T>(work: () => T): T
}

interface SpanStart {
  /** server: somebody called us · client: we call somebody · internal: our own work. */
  kind: 'server' | 'client' | 'internal'
  facts: Facts
  /** Default: the span that is being worked in; null = it begins a trace. */
  below?: TracePlace | null
  /** Began earlier, epoch ms. */
  since?: number
}

export interface Tracing {
  begin(name: string, start: SpanStart): Span
  /** The span that is being worked in. */
  current(): Span | null
  /** Stands for an account: the same each time, and not to be turned back. */
  pseudonym(accountUuid: string): string
  /** Sends what is left, and stops. */
  stop(): Promise<void>
}

/** `traceparent` of W3C Trace Context; null = there is none that can be read. */
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

// OpenTelemetry over OTLP/HTTP, with its own provider: sets nothing global. Imported only with a collector.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Log } from '../lib/log.ts'
import type { TracingSettings } from '../lib/tracing-settings.ts'
import type { Span, TracePlace, Tracing } from './tracing.ts'

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }
/** Longest time that stopping may wait for a collector, ms. */
const STOP_WITHIN = 2_000

export function createTracing({ endpoint, serviceName, headers }: TracingSettings, version: string, log: Log): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers, timeoutMillis: 5_000 })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor(tellingFailures(exporter, log))],
  })
  const tracer = provider.getTracer('fieldhook', version)
  const working = new AsyncLocalStorage<Span>()

  return {
    begin(name, { kind, facts, below, since }) {
      const parent = below === undefined ? working.getStore()?.place : below
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, contextOf(parent)) : ROOT_CONTEXT
      const startTime = since === undefined ? {} : { startTime: since }
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...facts }, ...startTime }, context)
      const { traceId, spanId, traceFlags } = span.spanContext()
      let ended = false
      const begun: Span = {
        place: { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 },
        tell: (more) => void span.setAttributes({ ...more }),
        end(failed = false) {
          if (ended) return
          ended = true
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
        around: (work) => working.run(begun, work),
      }
      return begun
    },
    current: () => working.getStore() ?? null,
    pseudonym: (accountUuid) => createHash('sha256').update(`trace|${accountUuid}`).digest('hex').slice(0, 16),
    async stop() {
      const waited = new Promise<void>((resolve) => {
        setTimeout(resolve, STOP_WITHIN).unref()
      })
      await Promise.race([provider.shutdown().catch(() => {}), waited])
    },
  }
}

function contextOf({ traceId, spanId, sampled }: TracePlace) {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true }
}

/** Logs one line when the collector stops answering and one when it answers again, not one per batch. */
function tellingFailures(exporter: SpanExporter, log: Log): SpanExporter {
  let failing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== 0
        if (failed && !failing) log.warn({ reason: result.error?.message }, 'tracing.not_sent')
        if (!failed && failing) log.info({}, 'tracing.sent_again')
        failing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
}

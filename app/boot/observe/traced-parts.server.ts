// Traces an event and a run as spans: ingress → commit → delivery → attempt, run → step. Boot wraps the parts only when
// a collector is configured. docs/metrics.md lists the attributes; check it before adding any.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Outbound } from '#app/adapters/outbound/outbound.ts'
import { readTraceparent, type Span, type TracePlace, type Tracing, writeTraceparent } from '#app/adapters/tracing.ts'
import type { App } from '#app/context/app-context.ts'
import type { Committer } from '#app/features/automations/actions/action.server.ts'
import type { Deliver } from '#app/features/events/delivering/deliver.server.ts'
import { withMethods } from '#app/lib/families.ts'
import type { AttemptReport, DeliveryJob } from '#db/store/deliveries.ts'
import type { Store } from '#db/store.ts'

type NodeHandler = (req: IncomingMessage, res: ServerResponse) => boolean

export interface TracedParts {
  ingress(handle: NodeHandler): NodeHandler
  acceptEvent(accept: App['acceptEvent']): App['acceptEvent']
  deliver(deliver: Deliver): Deliver
  /** Forwards carry `traceparent`; delivery spans end when the delivery is stored; run spans name their rule. */
  outbound(outbound: Outbound): Outbound
  store(store: Store): Store
  run<T>(run: { id: number; account: string }, work: () => Promise<T>): Promise<T>
  committer(committer: Committer): Committer
}

/** Events whose commit is remembered as the parent of their deliveries. Others start a trace and name the event. */
const MOST_REMEMBERED = 20_000
const INGRESS = '/hooks/platform/'

export function traceParts(tracing: Tracing): TracedParts {
  const commits = new Map<number, TracePlace>()
  const open = new WeakMap<DeliveryJob, Span>()

  function remember(eventSeq: number, place: TracePlace): void {
    const [oldest] = commits.size >= MOST_REMEMBERED ? commits.keys() : []
    if (oldest !== undefined) commits.delete(oldest)
    commits.set(eventSeq, place)
  }

  return {
    ingress: (handle) => (req, res) => {
      if (!req.url?.startsWith(INGRESS)) return handle(req, res)
      const span = tracing.begin('ingress', {
        kind: 'server',
        below: readTraceparent(single(req.headers.traceparent)),
        facts: { 'http.request.method': req.method ?? '', 'http.route': '/hooks/platform/:token' },
      })
      res.once('close', () => {
        span.tell({ 'http.response.status_code': res.statusCode })
        span.end(res.statusCode >= 500 || !res.writableFinished)
      })
      return span.around(() => handle(req, res))
    },

    acceptEvent: (accept) => (event) => {
      const facts = { 'fieldhook.object': event.object, 'fieldhook.account': tracing.pseudonym(event.accountUuid) }
      const span = tracing.begin('commit', { kind: 'internal', facts })
      return endWith(span, accept(event), (accepted) => {
        span.tell({ 'fieldhook.outcome': accepted.outcome })
        if ('seq' in accepted) span.tell({ 'fieldhook.event.seq': accepted.seq })
        if (accepted.outcome === 'stored' && accepted.deliveries.length > 0) remember(accepted.seq, span.place)
        return false
      })
    },

    deliver: (deliver) => async (job, how) => {
      const facts = {
        'fieldhook.event.id': job.eventId,
        'fieldhook.event.seq': job.eventSeq,
        'fieldhook.delivery.id': job.id,
        'fieldhook.endpoint.id': job.endpointId,
        'fieldhook.account': tracing.pseudonym(job.accountUuid),
        'fieldhook.cause': job.cause,
      }
      // Starts at the due time: the wait is the first thing to see. Spans use the machine's time; the sandbox's clock
      // may be ahead of it.
      const delivery = tracing.begin('delivery', {
        kind: 'internal',
        below: commits.get(job.eventSeq) ?? null,
        since: Math.min(job.dueAt, Date.now()),
        facts,
      })
      open.set(job, delivery)
      const attempt = tracing.begin('attempt', {
        kind: 'client',
        below: delivery.place,
        facts: { ...facts, 'fieldhook.attempt': job.attempts + 1 },
      })
      const report = await attempt.around(() => deliver(job, how))
      const { outcome, status } = endOf(report)
      attempt.tell({ 'fieldhook.outcome': outcome })
      if (status !== null) attempt.tell({ 'http.response.status_code': status })
      attempt.end(outcome !== 'delivered')
      return report
    },

    outbound: (outbound) => ({
      ...outbound,
      post(request) {
        const span = tracing.current()
        if (!span) return outbound.post(request)
        return outbound.post({
          ...request,
          headers: { ...request.headers, traceparent: writeTraceparent(span.place) },
        })
      },
    }),

    store: (store) => tracedStore(store, tracing, open),

    run({ id, account }, work) {
      const facts = { 'fieldhook.run.id': id, 'fieldhook.account': tracing.pseudonym(account) }
      const span = tracing.begin('run', { kind: 'internal', below: null, facts })
      return endWith(span, span.around(work))
    },

    committer: (committer) => ({
      ...committer,
      commit(effect, context) {
        const { runId, stepId } = context.identity
        const facts = { 'fieldhook.run.id': runId, 'fieldhook.step.id': stepId, 'fieldhook.effect': effect.kind }
        const span = tracing.begin('step', { kind: 'client', facts })
        return endWith(
          span,
          span.around(() => committer.commit(effect, context)),
          ({ outcome }) => {
            span.tell({ 'fieldhook.outcome': outcome })
            return outcome === 'failed' || outcome === 'unknown'
          },
        )
      },
    }),
  }
}

/** Ends the span with its work: as failed when that throws, or when `tell` returns true. */
async function endWith<T>(span: Span, work: Promise<T>, tell: (result: T) => boolean = () => false): Promise<T> {
  try {
    const result = await work
    span.end(tell(result))
    return result
  } catch (error) {
    span.end(true)
    throw error
  }
}

/** `open`: the spans of deliveries that are not stored yet. */
function tracedStore(store: Store, tracing: Tracing, open: WeakMap<DeliveryJob, Span>): Store {
  return withMethods(store, {
    async settleAttempts(reports, options) {
      const settled = await store.deliveries.settleAttempts(reports, options)
      reports.forEach(({ job }, index) => {
        const after = settled[index]
        const span = open.get(job)
        span?.tell({ 'fieldhook.waits_again': after?.dueAt != null })
        span?.end(after?.outcome !== 'delivered')
        open.delete(job)
      })
      return settled
    },
    async claimRun(...input) {
      const run = await store.runs.claimRun(...input)
      if (run) {
        tracing.current()?.tell({ 'fieldhook.automation.id': run.automationId, 'fieldhook.trigger': run.source })
      }
      return run
    },
    async finishRun(fence, stamp, end) {
      const parked = await store.runs.finishRun(fence, stamp, end)
      if (parked === 'parked') tracing.current()?.tell({ 'fieldhook.outcome': end.outcome })
      return parked
    },
  })
}

function endOf({ result }: AttemptReport): { outcome: string; status: number | null } {
  if (result.kind === 'not_sent') return { outcome: 'expired', status: null }
  return { outcome: result.verdict.outcome, status: result.verdict.statusCode }
}

function single(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null
}

// Metrics with prom-client, in a separate registry: two in one process share nothing.
import { Registry } from 'prom-client'
import { gaugeSeries } from './measure-gauges.server.ts'
import { countedSeries, isRefusalReason, statusClass, storageCode } from './measure-series.server.ts'
import type { Measures } from './measures.ts'

interface MeasuresInput {
  version: string
  /** Every possible route pattern. */
  routes: readonly string[]
}

export function createMeasures({ version, routes }: MeasuresInput): Measures {
  const registry = new Registry()
  const count = countedSeries(registry, routes)
  const gauge = gaugeSeries(registry, version)
  const knownRoutes = new Set(routes)
  const phase = (name: string, seconds: number | null) => {
    if (seconds !== null) count.attemptPhaseSeconds.observe({ phase: name }, seconds)
  }

  return {
    requestEnded({ route: pattern, status, seconds }) {
      const route = knownRoutes.has(pattern) ? pattern : '/*'
      count.requests.inc({ route, status: statusClass(status) })
      count.requestSeconds.observe({ route }, seconds)
      // An unknown address was not refused to anyone.
      const nowhere = status === 404 && route.endsWith('*')
      if ((status === 401 || status === 403 || status === 404) && !nowhere) {
        count.refusals.inc({ route, status: String(status) })
      }
    },
    ingressAnswered({ status, seconds }) {
      count.ingress.inc({ status: statusClass(status) })
      count.ingressSeconds.observe(seconds)
    },
    commitEnded({ events, seconds }) {
      count.commitSeconds.observe(seconds)
      count.commitEvents.observe(events)
    },
    eventsTaken: (outcome, many) => count.events.inc({ outcome }, many),
    attemptEnded({ outcome, seconds, dns, connect, tls, firstByte, firstAfter }) {
      count.attempts.inc({ outcome })
      count.attemptSeconds.observe(seconds)
      phase('dns', dns)
      phase('connect', connect)
      phase('tls', tls)
      phase('first_byte', firstByte)
      if (firstByte !== null) count.attemptConnections.inc({ kind: connect === null ? 'kept' : 'new' })
      if (firstAfter !== null) count.firstAttemptSeconds.observe(firstAfter)
    },
    deliveriesEnded: (result, many) => count.deliveries.inc({ result }, many),
    trialWritten: (seconds) => count.trialWriteSeconds.observe(seconds),
    serializationRetried: () => count.serializationRetries.inc(),
    storageFailed: (code) => count.storageErrors.inc({ code: storageCode(code) }),
    platformCalled({ outcome, status, seconds }) {
      count.platformCalls.inc({ outcome, status: statusClass(status) })
      count.platformSeconds.observe(seconds)
    },
    tokenRefreshed: (result) => count.refreshes.inc({ result }),
    addressRefused: (reason) => count.addressRefusals.inc({ reason: isRefusalReason(reason) ? reason : 'header' }),
    runsStarted: (many) => count.runsStarted.inc(many),
    runEnded: (outcome) => count.runs.inc({ outcome }),
    actionEnded: (result) => count.actions.inc({ result }),
    expectJobs(jobs) {
      for (const job of jobs) for (const outcome of ['done', 'failed']) count.jobs.inc({ job, outcome }, 0)
    },
    overBudget(whose, of) {
      count.overBudget.inc({ whose, of })
    },
    smtpMailEnded(outcome) {
      count.smtpMails.inc({ outcome })
    },
    longWorkEnded(outcome) {
      count.longWork.inc({ outcome })
    },
    jobEnded(job, outcome, seconds) {
      count.jobs.inc({ job, outcome })
      count.jobSeconds.observe(seconds)
    },
    logged: (level) => count.logLines.inc({ level }),
    async text(readings) {
      gauge(readings)
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}

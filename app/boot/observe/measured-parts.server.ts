// Wraps store, outside and log to count what passes. Boot applies it once; callers do not notice. Counting costs a few
// hundred nanoseconds and cannot fail a call.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Mailer } from '#app/adapters/mailer.ts'
import type { EventOutcome, Measures } from '#app/adapters/measures.ts'
import type { Outbound } from '#app/adapters/outbound/outbound.ts'
import type { AddressReason } from '#app/adapters/outbound/safe-address.ts'
import type { PlatformOAuth } from '#app/adapters/platform.ts'
import type { PlatformCall } from '#app/adapters/servicem8/servicem8-call.ts'
import { workGoesOn } from '#app/lib/caller.server.ts'
import { eachMethod, methodsOf, withMethods } from '#app/lib/families.ts'
import type { Log } from '#app/lib/log.ts'
import { isStorageFailure } from '#db/storage-failure.ts'
import type { AttemptReport } from '#db/store/deliveries.ts'
import type { AcceptedEvent } from '#db/store/events.ts'
import type { Store } from '#db/store.ts'

/** Counts every store failure by its code, and events, deliveries, runs and effects from the store's results. */
export function measureStore(store: Store, measures: Measures): Store {
  const onFailure = (error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('SQLITE_') || isStorageFailure(error)) measures.storageFailed(code)
  }
  const watchedStore = eachMethod(store, (name, method) => {
    // Called for every event: one more promise each would cost more than all the counting. It only reads; database
    // trouble shows in the commit that follows.
    // What fails within a turn is counted where it fails.
    if (name === 'findIngress' || name === 'inTurn') return method
    return (...values) => {
      workGoesOn()
      const result = method(...values)
      result.catch(onFailure)
      return result
    }
  })
  const watched = methodsOf(watchedStore)
  const countStarted = (all: readonly { outcome: string }[] | null) =>
    measures.runsStarted(all?.filter(({ outcome }) => outcome === 'started').length ?? 0)

  return withMethods(watchedStore, {
    async acceptEvents(events, options) {
      const began = performance.now()
      try {
        const answers = await watched.acceptEvents(events, options)
        countTaken(answers, measures)
        return answers
      } finally {
        measures.commitEnded({ events: events.length, seconds: secondsSince(began) })
      }
    },
    takeInPolled: telling(watched.takeInPolled, (taken) => {
      if (taken.outcome !== 'overtaken') countTaken(taken.accepted, measures)
    }),
    settleAttempts: telling(watched.settleAttempts, (settled, reports) => {
      for (const report of reports) measureAttempt(report, measures)
      let delivered = 0
      let givenUp = 0
      for (const { dueAt, outcome } of settled) {
        if (outcome === 'delivered') delivered++
        else if (dueAt === null) givenUp++
      }
      if (delivered > 0) measures.deliveriesEnded('delivered', delivered)
      if (givenUp > 0) measures.deliveriesEnded('given_up', givenUp)
    }),
    endStoppedStep: telling(watched.endStoppedStep, (ended) => {
      if (ended > 0) measures.deliveriesEnded('stopped', ended)
    }),
    expireHeldStep: telling(watched.expireHeldStep, ({ ended }) => {
      if (ended > 0) measures.deliveriesEnded('given_up', ended)
    }),
    async trialWrite() {
      const began = performance.now()
      await watched.trialWrite()
      measures.trialWritten(secondsSince(began))
    },
    startRuns: telling(watched.startRuns, countStarted),
    startRunOnce: telling(watched.startRunOnce, (started) => countStarted([started])),
    settleTouched: telling(watched.settleTouched, countStarted),
    settlePoll: telling(watched.settlePoll, countStarted),
    settleJudged: telling(watched.settleJudged, (judged) => measures.runsStarted(judged?.started ?? 0)),
    settleReceipt: telling(watched.settleReceipt, (started) => measures.runsStarted(started ?? 0)),
    finishRun: telling(watched.finishRun, (parked, _fence, _stamp, { outcome }) => {
      if (parked === 'parked') measures.runEnded(outcome)
    }),
    planEffects: telling(watched.planEffects, (planned, _fence, _stepId, rows) => {
      if (planned) for (const row of rows) measureEffect(row, measures)
    }),
    endSending: telling(watched.endSending, (ended, _accountUuid, _runId, _row, write) => {
      if (ended) measureEffect(write, measures)
    }),
    setRow: telling(watched.setRow, (set, _fence, row, write) => {
      if (set && write.state !== row.state) measureEffect(write, measures)
    }),
  })
}

/** The method, which also tells its result on. */
function telling<Given extends unknown[], Result>(
  method: (...given: Given) => Promise<Result>,
  tell: (result: Result, ...given: Given) => void,
) {
  return async (...given: Given): Promise<Result> => {
    const result = await method(...given)
    tell(result, ...given)
    return result
  }
}

function countTaken(answers: readonly AcceptedEvent[], measures: Measures): void {
  const counts: Record<EventOutcome, number> = { stored: 0, duplicate: 0, over_limit: 0, rejected: 0 }
  for (const { outcome } of answers) counts[outcome]++
  for (const [outcome, count] of Object.entries(counts)) {
    if (count > 0) measures.eventsTaken(outcome as EventOutcome, count)
  }
}

function measureAttempt({ job, startedAt, endedAt, result }: AttemptReport, measures: Measures): void {
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1000)
  const firstAfter = job.attempts === 0 && job.cause === 'live' ? Math.max(0, startedAt - job.dueAt) / 1000 : null
  if (result.kind === 'not_sent') {
    measures.attemptEnded({
      ...{ outcome: 'expired', seconds: (endedAt - startedAt) / 1000 },
      ...{ dns: null, connect: null, tls: null, firstByte: null, firstAfter: null },
    })
    return
  }
  const { verdict, durationMs, dnsMs, connectMs, tlsMs, firstByteMs } = result
  measures.attemptEnded({
    outcome: verdict.outcome,
    seconds: durationMs / 1000,
    dns: seconds(dnsMs),
    connect: seconds(connectMs),
    tls: seconds(tlsMs),
    firstByte: seconds(firstByteMs),
    firstAfter,
  })
}

/** An effect that is retried has not ended. */
function measureEffect(row: { state: string; nextAttemptAt: number | null }, measures: Measures): void {
  const { state, nextAttemptAt } = row
  const ended = state === 'sent' || state === 'unknown' || state === 'skipped' || state === 'held'
  if (ended || (state === 'failed' && nextAttemptAt === null)) measures.actionEnded(state)
}

/** Counts addresses that the guard refuses when they are saved, checked, or called. */
export function measureOutbound(outbound: Outbound, measures: Measures): Outbound {
  // Every form of an address that is not https counts under one reason.
  const refused = (reason: AddressReason | undefined) =>
    measures.addressRefused(reason === 'not_https' ? 'not_a_url' : (reason ?? 'header'))
  return {
    ...outbound,
    // Not awaited: the caller awaits the same promise, and every forward pays for each further one.
    post(request) {
      const answered = outbound.post(request)
      answered.then(
        (answer) => {
          if (answer.outcome === 'blocked') refused(answer.refused)
        },
        () => {},
      )
      return answered
    },
    probe: telling(outbound.probe, ({ result }) => {
      if (result.outcome === 'blocked') refused(result.refused)
    }),
    check: telling(outbound.check, (checked) => {
      if (checked.verdict === 'blocked') refused(checked.refused)
    }),
  }
}

export function measureMailer(mailer: Mailer, measures: Measures): Mailer {
  return { send: telling(mailer.send, ({ outcome }) => measures.smtpMailEnded(outcome)) }
}

export function measureOAuth(oauth: PlatformOAuth, measures: Measures): PlatformOAuth {
  return { ...oauth, refresh: telling(oauth.refresh, ({ outcome }) => measures.tokenRefreshed(outcome)) }
}

export function measurePlatformCall({ outcome, status, durationMs }: PlatformCall, measures: Measures): void {
  measures.platformCalled({ outcome, status, seconds: durationMs / 1000 })
}

/** Also counts lines that need attention: any failure shows there. */
export function measureLog(log: Log, measures: Measures): Log {
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn(fields, message) {
      measures.logged('warn')
      log.warn(fields, message)
    },
    error(fields, message) {
      measures.logged('error')
      log.error(fields, message)
    },
    child: (fields) => measureLog(log.child(fields), measures),
  }
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1000
}

/** Measures platform calls from arrival to the last byte of our answer. */
export function measureIngress(handle: NodeHandler, measures: Measures): NodeHandler {
  return (req, res) => {
    const began = performance.now()
    if (!handle(req, res)) return false
    // A caller that disconnects before our answer is not counted.
    res.once('finish', () => {
      const seconds = secondsSince(began)
      measures.ingressAnswered({ status: res.statusCode, seconds })
      measures.requestEnded({ route: INGRESS, status: res.statusCode, seconds })
    })
    return true
  }
}

type NodeHandler = (req: IncomingMessage, res: ServerResponse) => boolean

const INGRESS = '/hooks/platform/:token'

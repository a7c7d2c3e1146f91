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
    async takeInPolled(take, options) {
      const taken = await watched.takeInPolled(take, options)
      if (taken.outcome !== 'overtaken') countTaken(taken.accepted, measures)
      return taken
    },
    async settleAttempts(reports, options) {
      const settled = await watched.settleAttempts(reports, options)
      for (const report of reports) measureAttempt(report, measures)
      let delivered = 0
      let givenUp = 0
      for (const { dueAt, outcome } of settled) {
        if (outcome === 'delivered') delivered++
        else if (dueAt === null) givenUp++
      }
      if (delivered > 0) measures.deliveriesEnded('delivered', delivered)
      if (givenUp > 0) measures.deliveriesEnded('given_up', givenUp)
      return settled
    },
    async endStoppedStep(...input) {
      const ended = await watched.endStoppedStep(...input)
      if (ended > 0) measures.deliveriesEnded('stopped', ended)
      return ended
    },
    async expireHeldStep(...input) {
      const step = await watched.expireHeldStep(...input)
      if (step.ended > 0) measures.deliveriesEnded('given_up', step.ended)
      return step
    },
    async trialWrite() {
      const began = performance.now()
      await watched.trialWrite()
      measures.trialWritten(secondsSince(began))
    },
    async startRuns(...input) {
      const started = await watched.startRuns(...input)
      const begun = started.filter(({ outcome }) => outcome === 'started').length
      if (begun > 0) measures.runsStarted(begun)
      return started
    },
    async startRunOnce(...input) {
      const started = await watched.startRunOnce(...input)
      if (started.outcome === 'started') measures.runsStarted(1)
      return started
    },
    async finishRun(fence, stamp, end) {
      const parked = await watched.finishRun(fence, stamp, end)
      if (parked === 'parked') measures.runEnded(end.outcome)
      return parked
    },
    async planEffects(fence, stepId, rows) {
      const planned = await watched.planEffects(fence, stepId, rows)
      if (planned) for (const row of rows) measureEffect(row, measures)
      return planned
    },
    async endSending(accountUuid, runId, row, write, input) {
      const ended = await watched.endSending(accountUuid, runId, row, write, input)
      if (ended) measureEffect(write, measures)
      return ended
    },
    async setRow(fence, row, write) {
      const set = await watched.setRow(fence, row, write)
      if (set && write.state !== row.state) measureEffect(write, measures)
      return set
    },
  })
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
    async probe(request) {
      const probe = await outbound.probe(request)
      if (probe.result.outcome === 'blocked') refused(probe.result.refused)
      return probe
    },
    async check(url) {
      const verdict = await outbound.check(url)
      if (verdict.verdict === 'blocked') refused(verdict.refused)
      return verdict
    },
  }
}

export function measureMailer(mailer: Mailer, measures: Measures): Mailer {
  return {
    async send(mail) {
      const sent = await mailer.send(mail)
      measures.smtpMailEnded(sent.outcome)
      return sent
    },
  }
}

export function measureOAuth(oauth: PlatformOAuth, measures: Measures): PlatformOAuth {
  return {
    ...oauth,
    async refresh(refreshToken) {
      const refreshed = await oauth.refresh(refreshToken)
      measures.tokenRefreshed(refreshed.outcome)
      return refreshed
    },
  }
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

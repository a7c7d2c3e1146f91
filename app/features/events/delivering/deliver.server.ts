// Makes one attempt: prepares it, sends it through the guarded outbound module, judges the answer. What follows is
// decided when the attempt is stored.
import type { App } from '#app/context/app-context.ts'
import type { Verdict } from '#app/domain/deliveries/delivery.ts'
import { type NamesOf, recordName } from '#app/domain/record-name.ts'
import { signingSecretPlace } from '#app/domain/sealed-places.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { AttemptReport, DeliveryJob } from '#db/store/deliveries.ts'
import { chatProgramOf, recordOf, textFor } from '../chat/chat-message.ts'
import { judgeAnswer, judgeTest } from './answer.ts'
import { isPastDeadline, type SignForward, webhookId } from './delivery.ts'

type DeliverApp = Pick<App, 'outbound' | 'clock' | 'log' | 'settings' | 'secrets' | 'store'>

export type Deliver = (job: DeliveryJob, how: { probe: boolean }) => Promise<AttemptReport>

const LONGEST_ANSWER = 4096

/**
 * Creates the function that makes attempts. It never rejects: every error is in the report. `namesOf` learns what a
 * message in words calls its record.
 */
export function createDeliver(app: DeliverApp, sign: SignForward, namesOf?: NamesOf): Deliver {
  const secretsOf = secretReader(app)
  return async (job, { probe }) => {
    // Before the attempt has its time: what is known by then is what its page shows later.
    if (namesOf && job.cause !== 'test' && chatProgramOf(job.url) !== null) await learnName(app, namesOf, job)
    const startedAt = app.clock.now()
    const notSent = whyNotSent(job, startedAt)
    if (notSent !== null) {
      app.log.info({ deliveryId: job.id, endpointId: job.endpointId }, 'delivery.expired')
      return { job, probe, startedAt, endedAt: startedAt, result: { kind: 'not_sent', reason: notSent } }
    }
    const result = await attempt(app, sign, job, secretsOf, startedAt)
    const endedAt = app.clock.now()
    log(app, job, result)
    return { job, probe, startedAt, endedAt, result }
  }
}

async function learnName({ log }: DeliverApp, namesOf: NamesOf, { id, body, accountUuid }: DeliveryJob): Promise<void> {
  const record = recordOf(body ?? '')
  if (record === null) return
  await namesOf(accountUuid, [record]).catch((error: unknown) => log.warn({ deliveryId: id, error }, 'names.not_read'))
}

type Sent = Extract<AttemptReport['result'], { kind: 'sent' }>

async function attempt(
  app: DeliverApp,
  sign: SignForward,
  job: DeliveryJob,
  secretsOf: SecretsOf,
  now: Millis,
): Promise<Sent> {
  try {
    // Only a message in words waits for the store: for all others, the request starts in this turn.
    const body = chatProgramOf(job.url) === null ? (job.body ?? '') : await inWords(app, job, now)
    const secrets = secretsOf(job, now)
    const signature = sign({
      id: webhookId(job.eventId, job.endpointId),
      timestampSeconds: Math.floor(now / 1000),
      body,
      // Usually opened before: without a promise, the request starts in this turn.
      secrets: secrets instanceof Promise ? await secrets : secrets,
    })
    const answer = await app.outbound.post({
      url: job.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': `Fieldhook/${app.settings.version}`,
        ...signature,
        'x-fieldhook-attempt': String(job.attempts + 1),
      },
      body,
    })
    const { timing } = answer
    return {
      kind: 'sent',
      verdict: (job.cause === 'test' ? judgeTest : judgeAnswer)(answer, app.clock.now()),
      durationMs: Math.round(timing.totalMs),
      dnsMs: whole(timing.dnsMs),
      connectMs: whole(timing.connectMs),
      tlsMs: whole(timing.tlsMs),
      firstByteMs: whole(timing.firstByteMs),
      reached: answer.outcome !== 'response' && answer.reached === true,
      peerIp: answer.peerIp,
      responseBody: answer.outcome === 'response' && answer.body !== '' ? answer.body.slice(0, LONGEST_ANSWER) : null,
    }
  } catch (error) {
    app.log.error({ deliveryId: job.id, endpointId: job.endpointId, error }, 'attempt.not_possible')
    return { kind: 'sent', verdict: OUR_FAULT, ...NOTHING_MEASURED }
  }
}

/** With what was known at `now`: the delivery's page says the same later. */
async function inWords({ store }: DeliverApp, { url, body, accountUuid }: DeliveryJob, now: Millis): Promise<string> {
  const record = recordOf(body ?? '')
  const [known] = record === null ? [] : await store.records.knownOf(accountUuid, [record], now)
  const name = record && recordName(record.object, known ?? null)
  return textFor(url, body ?? '', name)
}

const OUR_FAULT: Verdict = {
  outcome: 'internal',
  statusCode: null,
  retryAfterMs: null,
  sentence: 'An error on our side stopped this. We retry automatically.',
}

const NOTHING_MEASURED = {
  durationMs: 0,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
  peerIp: null,
  responseBody: null,
}

function whyNotSent(job: DeliveryJob, now: Millis): string | null {
  if (job.body === null) return 'Not sent: the event is no longer kept.'
  return isPastDeadline(job.deadlineAt, now) ? 'Not delivered within 72 hours.' : null
}

function whole(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms)
}

type SecretsOf = (job: DeliveryJob, now: Millis) => string[] | Promise<string[]>

/** Caches decrypted secrets by their encrypted text: decrypting costs more than signing. */
function secretReader({ secrets }: Pick<DeliverApp, 'secrets'>): SecretsOf {
  const opened = new Map<string, string>()
  const open = async (place: string, sealed: string): Promise<string> => {
    const known = opened.get(sealed)
    if (known !== undefined) return known
    const secret = await secrets.open(place, sealed)
    if (opened.size >= 5_000) opened.clear()
    opened.set(sealed, secret)
    return secret
  }
  return (job, now) => {
    const { secretSealed, previousSecretSealed: previous } = job
    const place = signingSecretPlace(job.accountUuid)
    if (previous && (job.previousSecretUntil ?? 0) > now) {
      return Promise.all([open(place, secretSealed), open(place, previous)])
    }
    const known = opened.get(secretSealed)
    return known === undefined ? open(place, secretSealed).then((secret) => [secret]) : [known]
  }
}

function log(app: DeliverApp, job: DeliveryJob, { verdict, durationMs }: Sent): void {
  const fields = {
    deliveryId: job.id,
    endpointId: job.endpointId,
    attempt: job.attempts + 1,
    outcome: verdict.outcome,
    statusCode: verdict.statusCode,
    durationMs,
  }
  if (verdict.outcome === 'delivered') app.log.debug(fields, 'attempt.ended')
  else app.log.info(fields, 'attempt.ended')
}

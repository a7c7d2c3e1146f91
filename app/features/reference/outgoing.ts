// The requests we send to an endpoint (contract, section 6), for the reference.
import { DEMO_JOB } from '#app/contract/operation.ts'
import { RETRY_FOR } from '#app/domain/deliveries/delivery.ts'
import { RETRY_GAPS } from '#app/features/events/delivering/delivery.ts'
import { BREAKER_FAILURES, DIFFERENT_EVENTS, PROBE_GAPS } from '#app/features/events/delivering/endpoint-health.ts'

export const FORWARD_SAYS = [
  "A `POST` to the webhook's address: the JSON of ServiceM8, unchanged. Forwarding rules get the same. Slack, Discord, Google Chat and Teams get a message instead; Power Automate gets the event with a card beside it.",
  `Any 2xx within 15 seconds = delivered, even if its body breaks off. 410 = the webhook stops. 429: we wait for \`Retry-After\`, at least a minute and at most 24 hours. For anything else we retry for ${RETRY_FOR / 3_600_000} hours: ${gaps()} after a failure, each up to a fifth later. A 503 with \`Retry-After\` may make a wait longer, an hour at most. After a time-out, 502 or 504 we wait 50 s or more. After ${BREAKER_FAILURES} failures of ${DIFFERENT_EVENTS} events in a minute or more, we try one event at a time, at most ${(PROBE_GAPS.at(-1) ?? 0) / 60_000} minutes apart, until one succeeds. After ${RETRY_FOR / 3_600_000} hours without a success, and failures of ${DIFFERENT_EVENTS} events, we stop until you start the address again. After three redirects in a row the address rests for 6 hours. While your address cannot be reached, we connect every 5 seconds, without a request; once that works, we send everything that waits. We do not follow redirects. When an address fails or stops, we check it with an \`OPTIONS\` request.`,
  'The signature follows Standard Webhooks: take the text `webhook-id.webhook-timestamp.body`, HMAC-SHA256 it with the base64-decoded secret after `whsec_`, encode it in base64, and compare it with each `v1,…` of `webhook-signature` (two for 24 hours after a new secret). Refuse timestamps more than five minutes away. The secret is on the page of the webhook.',
  'A retry has the same `webhook-id`: skip ids you have seen. An event that you replay keeps it, and its `x-fieldhook-attempt` is 1: forget the ids that you want again. A `traceparent` header may be added for tracing; you can ignore it.',
] as const

export const FORWARD_HEADERS: readonly { name: string; says: string; example: string }[] = [
  {
    name: 'webhook-id',
    says: 'Id of the event for this address, the same for every attempt.',
    example: 'evt_01a223c084257e9fb5bb12bce28ababb_7',
  },
  { name: 'webhook-timestamp', says: 'Time of sending, in seconds since 1970.', example: '1795309800' },
  {
    name: 'webhook-signature',
    says: 'One or two signatures, separated by a space.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
  { name: 'user-agent', says: '`Fieldhook/<version>`.', example: 'Fieldhook/0.1.0' },
  { name: 'x-fieldhook-attempt', says: 'Number of the attempt, from 1.', example: '1' },
]

export const FORWARD_BODY = {
  type: 'object',
  required: ['object', 'entry', 'resource_url'],
  properties: {
    object: { type: 'string', description: 'The kind of record, like `job`.' },
    entry: {
      type: 'array',
      items: {
        type: 'object',
        required: ['uuid', 'changed_fields', 'time'],
        properties: {
          uuid: { type: 'string', description: 'The record.' },
          changed_fields: { type: 'array', items: { type: 'string' }, description: 'What changed.' },
          time: { type: 'string', description: "When, in the account's time." },
        },
      },
    },
    resource_url: { type: 'string', description: 'Where the record can be read at ServiceM8.' },
  },
}

export const FORWARD_EXAMPLE = {
  object: 'job',
  entry: [{ uuid: DEMO_JOB, changed_fields: ['status'], time: '2026-11-22 12:10:00' }],
  resource_url: `https://api.servicem8.com/api_1.0/job/${DEMO_JOB}.json`,
}

/** `5 s, 30 s, 2 min, …`. */
function gaps(): string {
  return RETRY_GAPS.map((gap) => {
    if (gap < 60_000) return `${gap / 1_000} s`
    return gap < 3_600_000 ? `${gap / 60_000} min` : `${gap / 3_600_000} h`
  }).join(', ')
}

// A search and a delivery as their pages receive them, with overrides for tests.
import type { AttemptView, DeliveryView } from '#app/features/events/delivery-detail.ts'
import type { SearchFilter } from '#app/features/events/search-match.ts'
import type { SearchAnswer, SearchForm, SearchHit } from '#app/features/events/search-view.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { SAMPLE_NOW } from './sample-views.ts'

export const EMPTY_FORM: SearchForm = {
  id: '',
  status: '',
  webhook: '',
  code: '',
  object: '',
  record: '',
  field: '',
  from: '',
  until: '',
}

export function sampleHit(over: Partial<NonNullable<SearchHit['delivery']>> | null = {}): SearchHit {
  return {
    eventId: `event-of-${over?.id ?? 12}`,
    test: false,
    object: 'job',
    objectUuid: '5f1c3a52-7a33-4f0e-9c41-2f4e7a0b1c9d',
    what: 'Job 3128',
    who: 'Joan Hartley',
    changedFields: ['status', 'completion_date'],
    receivedAt: SAMPLE_NOW - minutes(4),
    delivery:
      over === null
        ? null
        : {
            id: 12,
            status: 'delivered',
            cause: 'live',
            url: 'https://hooks.example.com/catch/1',
            goesTo: over.url ?? 'https://hooks.example.com/catch/1',
            endpointId: 1,
            rule: null,
            attempts: 1,
            lastCode: 200,
            lastMs: 86,
            sentence: 'Delivered: your address answered 200.',
            nextAt: null,
            canSendAgain: true,
            ...over,
          },
  }
}

export function sampleAnswer(over: Partial<SearchAnswer> = {}): SearchAnswer {
  return {
    hits: [sampleHit()],
    end: 'all',
    next: null,
    lookedBackTo: SAMPLE_NOW - hours(5),
    more: false,
    looked: 1,
    ...over,
  }
}

export function sampleAttempt(over: Partial<AttemptView> = {}): AttemptView {
  return {
    number: 1,
    at: SAMPLE_NOW - minutes(4),
    sent: true,
    delivered: true,
    outcome: 'delivered',
    sentence: 'Delivered: your address answered 200.',
    statusCode: 200,
    durationMs: 256,
    timing: { dnsMs: 4, connectMs: 12, tlsMs: 30, firstByteMs: 210 },
    url: 'https://hooks.example.com/catch/1',
    peerIp: '203.0.113.9',
    responseBody: 'thank you',
    ...over,
  }
}

export function sampleDelivery(over: Partial<DeliveryView> = {}): DeliveryView {
  return {
    id: 12,
    status: 'delivered',
    cause: 'live',
    sentence: 'Delivered: your address answered 200.',
    waiting: null,
    createdAt: SAMPLE_NOW - minutes(4),
    settledAt: SAMPLE_NOW - minutes(4),
    request: {
      method: 'POST',
      url: 'https://hooks.example.com/catch/1',
      headers: [
        { name: 'content-type', value: 'application/json' },
        { name: 'webhook-id', value: 'evt_1_5' },
        { name: 'webhook-timestamp', value: '1763697849' },
        { name: 'webhook-signature', value: 'v1,••••••••••••' },
        { name: 'x-fieldhook-attempt', value: '1' },
      ],
      body: '{"object":"job","entry":[{"uuid":"5f1c3a52"}]}',
      chat: null,
      attempt: { number: 1, at: SAMPLE_NOW - minutes(4) },
    },
    attempts: [sampleAttempt()],
    attemptsMade: 1,
    event: {
      seq: 7,
      id: '019b8d0c-2d00-7000-8000-000000000001',
      source: 'object',
      object: 'job',
      objectUuid: '5f1c3a52-7a33-4f0e-9c41-2f4e7a0b1c9d',
      what: 'Job 3128',
      who: 'Joan Hartley',
      changedFields: ['status', 'completion_date'],
      receivedAt: SAMPLE_NOW - minutes(4),
    },
    owner: { label: 'Job webhook', card: 3 },
    others: [],
    whyNotAgain: null,
    ...over,
  }
}

export const NO_FILTER: SearchFilter = {
  status: null,
  code: null,
  object: null,
  record: null,
  field: null,
  webhook: null,
  from: null,
  until: null,
}

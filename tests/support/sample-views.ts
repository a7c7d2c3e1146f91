// Webhooks and log entries as a screen receives them, with overrides for tests.

import type { Replay } from '#app/domain/deliveries/stored-delivery.ts'
import type { AuditForm } from '#app/features/audit/audit.ts'
import type { EndpointView } from '#app/features/endpoints/endpoint-view.ts'
import type { ForwardingResultView, LogEntryView } from '#app/features/events/log-view.ts'
import { hours, minutes } from '#app/lib/duration.ts'

/** Fri 21 Nov 2025, 15:12:09 in Sydney. */
export const SAMPLE_NOW = Date.UTC(2025, 10, 21, 4, 12, 9)
export const SAMPLE_ZONE = 'Australia/Sydney'

export function sampleWebhook(over: Partial<EndpointView> = {}): EndpointView {
  return {
    id: 1,
    kind: 'webhook',
    name: null,
    objectType: 'job',
    label: 'Job',
    callbackUrl: 'https://hooks.example.com/catch/1',
    fields: [],
    active: true,
    state: 'active',
    status: 'working',
    statusMessage: 'Working. Last delivered 2 minutes ago.',
    polling: null,
    forwardingUrl: 'https://fieldhook.example.com/hooks/platform/token-of-job',
    signingSecret: 'whsec_c2VjcmV0',
    previousSecretUntil: null,
    firstHour: Math.floor(SAMPLE_NOW / hours(1) - 23) * hours(1),
    hours: Array.from({ length: 24 }, () => ({ delivered: 0, failed: 0 })),
    pending: 0,
    asked: false,
    nextAttemptAt: null,
    lastEventAt: SAMPLE_NOW - minutes(2),
    createdAt: SAMPLE_NOW - hours(30),
    failingSince: null,
    missed: null,
    replays: [],
    ...over,
  }
}

export function sampleRule(over: Partial<EndpointView> = {}): EndpointView {
  return {
    ...sampleWebhook(),
    id: 'rule-1',
    kind: 'extra',
    name: 'Accounting',
    forwardingUrl: '',
    callbackUrl: 'https://accounts.example.com/in',
    ...over,
  }
}

export function sampleReplay(over: Partial<Replay> = {}): Replay {
  return {
    id: 1,
    since: SAMPLE_NOW - hours(24),
    status: 'failed',
    objectUuid: null,
    state: 'running',
    total: 214,
    delivered: 60,
    undelivered: 0,
    createdAt: SAMPLE_NOW - minutes(1),
    endedAt: null,
    ...over,
  }
}

/** Each address, and each rule, is an endpoint of its own. */
export function sampleEntry(over: Partial<LogEntryView> = {}): LogEntryView {
  const places = [...new Set(over.forwardingResults?.map(({ url, rule }) => `${rule} ${url}`))]
  return {
    id: 'event-1',
    type: 'job',
    objectUuid: '5f1c3a52-7a33-4f0e-9c41-2f4e7a0b1c9d',
    recordName: 'Job 3128 · Joan Hartley',
    test: false,
    receivedAt: SAMPLE_NOW - minutes(4),
    changedFields: ['status', 'completion_date'],
    forwardedTo: ['https://hooks.example.com/catch/1'],
    deliveries: (over.forwardingResults ?? []).map(({ deliveryId, url, rule }) => ({
      id: deliveryId,
      endpointId: places.indexOf(`${rule} ${url}`) + 1,
      url,
      ...(rule && { rule }),
    })),
    forwardingResults: [],
    ...over,
  }
}

export function sampleResult(over: Partial<ForwardingResultView> = {}): ForwardingResultView {
  return {
    deliveryId: 1,
    attempt: 1,
    url: 'https://hooks.example.com/catch/1',
    at: SAMPLE_NOW - minutes(4),
    success: true,
    statusCode: 200,
    responseTime: 86,
    timing: { dnsMs: 4, connectMs: 12, tlsMs: 30, firstByteMs: 38 },
    error: null,
    responseBody: 'ok',
    nextAttemptAt: null,
    ...over,
  }
}

export const NO_AUDIT_FILTER: AuditForm = { group: '', outcome: '', from: '', until: '' }

// Every series counted while the process works. Gauges are in measures.server.ts; docs/metrics.md lists all
// series, and a test compares it with the registry.
import { Counter, Histogram, type Registry } from 'prom-client'

/** Answers to the platform and commits: from the speed of a good disk to the longest time the platform waits. */
const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Calls over a network: limited to 15 s. */
const CALLS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
/** Requests by route: few buckets, because there are many routes. */
const REQUESTS = [0.01, 0.05, 0.25, 1, 5]

const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
const ATTEMPT_OUTCOMES = [
  ...['delivered', 'http_error', 'redirect', 'gone', 'rate_limited', 'blocked', 'dns', 'refused', 'reset', 'tls'],
  ...['timeout', 'protocol', 'internal', 'expired'],
]
const PLATFORM_ENDS = [
  ['ok', '2xx'],
  ['unauthorized', '4xx'],
  ['forbidden', '4xx'],
  ['suspended', '4xx'],
  ['refused', '4xx'],
  ['rate_limited', '4xx'],
  ['unavailable', '5xx'],
  ['unavailable', 'none'],
] as const
/** Why an address is refused (adapters/outbound/safe-address.ts); `header`: because of the headers to be sent. */
const REFUSAL_REASONS = [
  ...['not_a_url', 'too_long', 'credentials', 'port', 'internal_name', 'own_address', 'private_address', 'header'],
]
const STORAGE_CODES = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_BUSY', 'SQLITE_READONLY', 'other']

/** `routes`: all routes, so that each has its series from the start. */
export function countedSeries(registry: Registry, routes: readonly string[]) {
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly Label[] = [],
  ) => new Histogram({ name, help, labelNames, buckets, registers })

  const series = {
    requests: counter('fieldhook_http_requests_total', 'Requests answered, by route pattern and class of status.', [
      'route',
      'status',
    ]),
    requestSeconds: histogram(
      'fieldhook_http_request_seconds',
      'Time from a request to its answer, by route pattern.',
      REQUESTS,
      ['route'],
    ),
    refusals: counter(
      'fieldhook_authorisation_refusals_total',
      'Requests refused because of who asked (401, 403) or because it was not theirs (404), by route pattern.',
      ['route', 'status'],
    ),
    ingress: counter('fieldhook_ingress_total', "Calls of the platform with events, by our answer's class of status.", [
      'status',
    ]),
    ingressSeconds: histogram(
      'fieldhook_ingress_ack_seconds',
      'Time from a call of the platform to our answer, which comes after the commit.',
      FAST,
    ),
    commitSeconds: histogram('fieldhook_commit_seconds', 'Time of one transaction of arrivals, synced to disk.', FAST),
    commitEvents: histogram('fieldhook_commit_events', 'Events in one transaction of arrivals.', [
      ...[1, 2, 4, 8, 16, 32, 64, 128, 256],
    ]),
    events: counter(
      'fieldhook_events_total',
      'Events taken in, by outcome; "duplicate" was stored before and is not sent again.',
      ['outcome'],
    ),
    attempts: counter('fieldhook_attempts_total', 'Attempts to deliver, by class of outcome.', ['outcome']),
    attemptSeconds: histogram('fieldhook_attempt_seconds', 'Time of one attempt, from dialling to the answer.', CALLS),
    attemptPhaseSeconds: histogram(
      'fieldhook_attempt_phase_seconds',
      'Time until a phase of an attempt was done: name found, connected, secured, first byte.',
      CALLS,
      ['phase'],
    ),
    attemptConnections: counter(
      'fieldhook_attempt_connections_total',
      'Attempts that reached their receiver, over a new or a kept connection.',
      ['kind'],
    ),
    firstAttemptSeconds: histogram(
      'fieldhook_first_attempt_delay_seconds',
      'Time from when an event was to be forwarded to the beginning of its first attempt.',
      [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 3600],
    ),
    deliveries: counter('fieldhook_deliveries_total', 'Deliveries that ended, by how.', ['result']),
    trialWriteSeconds: histogram(
      'fieldhook_trial_write_seconds',
      'Time of one small synced write, made when readiness is asked for: what the disk takes.',
      FAST,
    ),
    serializationRetries: counter(
      'fieldhook_serialization_retries_total',
      'Operations on PostgreSQL that ran again, because another one had changed what they read.',
    ),
    storageErrors: counter('fieldhook_storage_errors_total', 'Questions to the database that failed, by code.', [
      'code',
    ]),
    platformCalls: counter('fieldhook_platform_calls_total', 'Calls to ServiceM8, by outcome and class of status.', [
      'outcome',
      'status',
    ]),
    platformSeconds: histogram('fieldhook_platform_call_seconds', 'Time of one call to ServiceM8.', CALLS),
    refreshes: counter('fieldhook_token_refreshes_total', "Renewals of accounts' tokens, by result.", ['result']),
    addressRefusals: counter(
      'fieldhook_guard_refusals_total',
      'Addresses that the outbound guard refused, when saved, checked or called, by reason.',
      ['reason'],
    ),
    runsStarted: counter('fieldhook_runs_started_total', 'Runs of automations that were begun.'),
    runs: counter('fieldhook_runs_total', 'Runs of automations that ended, by outcome.', ['outcome']),
    actions: counter(
      'fieldhook_actions_total',
      'Effects of automations that ended, by result; "unknown" may have been done, and waits for a person.',
      ['result'],
    ),
    jobs: counter('fieldhook_jobs_total', 'Runs of timed work, by job and outcome.', ['job', 'outcome']),
    jobSeconds: histogram('fieldhook_job_seconds', 'Time of one run of timed work.', [0.01, 0.1, 1, 10, 60, 600]),
    overBudget: counter(
      'fieldhook_budget_refusals_total',
      'Requests answered 429 because an account, a caller, or all accounts above their share had used up a minute.',
      ['whose', 'of'],
    ),
    smtpMails: counter(
      'fieldhook_smtp_mails_total',
      'Notices given to the mail server of SMTP_URL, by what became of them.',
      ['outcome'],
    ),
    longWork: counter(
      'fieldhook_long_work_total',
      'Work that was handed to a thread of its own, by how it ended; "too_long" was ended by its deadline, "busy" was not begun.',
      ['outcome'],
    ),
    logLines: counter('fieldhook_log_lines_total', 'Lines of the log that somebody should read, by level.', ['level']),
  }

  const zero = <Label extends string>(of: Counter<Label>, name: Label, values: readonly string[]) => {
    for (const value of values) of.inc({ [name]: value } as Record<Label, string>, 0)
  }
  for (const route of routes) {
    for (const status of STATUS_CLASSES.slice(1)) series.requests.inc({ route, status }, 0)
    for (const status of ['401', '403', '404']) series.refusals.inc({ route, status }, 0)
    series.requestSeconds.zero({ route })
  }
  for (const [outcome, status] of PLATFORM_ENDS) series.platformCalls.inc({ outcome, status }, 0)
  for (const phase of ['dns', 'connect', 'tls', 'first_byte']) series.attemptPhaseSeconds.zero({ phase })
  zero(series.ingress, 'status', STATUS_CLASSES.slice(1))
  zero(series.events, 'outcome', ['stored', 'duplicate', 'over_limit', 'rejected'])
  zero(series.attempts, 'outcome', ATTEMPT_OUTCOMES)
  zero(series.attemptConnections, 'kind', ['new', 'kept'])
  zero(series.deliveries, 'result', ['delivered', 'given_up', 'stopped'])
  zero(series.storageErrors, 'code', STORAGE_CODES)
  zero(series.refreshes, 'result', ['ok', 'unauthorized', 'forbidden', 'refused', 'rate_limited', 'unavailable'])
  zero(series.addressRefusals, 'reason', REFUSAL_REASONS)
  zero(series.runs, 'outcome', ['success', 'partial', 'failure', 'nothing', 'cancelled'])
  zero(series.actions, 'result', ['sent', 'failed', 'unknown', 'skipped', 'held'])
  for (const whose of ['account', 'caller']) {
    for (const of of ['ms', 'bytes']) series.overBudget.inc({ whose, of }, 0)
  }
  series.overBudget.inc({ whose: 'accounts', of: 'ms' }, 0)
  zero(series.longWork, 'outcome', ['done', 'too_long', 'busy', 'failed'])
  zero(series.smtpMails, 'outcome', ['ok', 'refused', 'unavailable'])
  zero(series.logLines, 'level', ['warn', 'error'])
  return series
}

/** `SQLITE_IOERR_WRITE` → `SQLITE_IOERR`; codes outside the few that matter become `other`. */
export function storageCode(code: string): string {
  return STORAGE_CODES.find((known) => code === known || code.startsWith(`${known}_`)) ?? 'other'
}

export function isRefusalReason(reason: string): boolean {
  return REFUSAL_REASONS.includes(reason)
}

/** `none`: no answer arrived. */
export function statusClass(status: number | null): string {
  return (status !== null && STATUS_CLASSES[Math.floor(status / 100) - 1]) || 'none'
}

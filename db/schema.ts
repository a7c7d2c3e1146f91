// Long: every table of the product is in this one file, so there is one place to read the data model.
// Moments are epoch milliseconds, flags 0 or 1, JSON is text.
// Tables are STRICT and enums are CHECKed in the migrations (drizzle-kit writes neither: see db/migrations).
// An index is named after the question it answers.
import { sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

const dates = () => ({ createdAt: integer('created_at').notNull(), updatedAt: integer('updated_at').notNull() })

/** The row is deleted with the account. */
const ofAccount = () =>
  text('account_uuid')
    .notNull()
    .references(() => account.uuid, { onDelete: 'cascade' })

/** The row is deleted with the one it belongs to. */
const childOf = <Name extends string>(name: Name, of: () => AnySQLiteColumn) =>
  integer(name).notNull().references(of, { onDelete: 'cascade' })

// ---- accounts -------------------------------------------------------------------------------------------------

/** A platform account (its vendor uuid). Exists from the first successful sign-in. */
export const account = sqliteTable('account', {
  uuid: text('uuid').primaryKey(),
  name: text('name').notNull(),
  timezone: text('timezone').notNull(),
  ...dates(),
  /** 0 = the notice about rules older than the "how often" setting, which can message a customer again, is open. */
  repeatsTold: integer('repeats_told').notNull().default(1),
  /** The e-mail address the platform had for the account when it was last read. Null = not read yet, or none. */
  email: text('email'),
})

/** An account's platform tokens, sealed. `generation` is the compare-and-swap guard for the rotating refresh token. */
export const credential = sqliteTable('credential', {
  accountUuid: ofAccount().primaryKey(),
  accessTokenSealed: text('access_token_sealed').notNull(),
  refreshTokenSealed: text('refresh_token_sealed').notNull(),
  expiresAt: integer('expires_at').notNull(),
  scope: text('scope').notNull(),
  /** connected | reconnect */
  state: text('state').notNull(),
  /** reconnect: the reason; connected: permissions the platform refused since the sign-in */
  stateReason: text('state_reason'),
  generation: integer('generation').notNull(),
  ...dates(),
})

/** A visit to the add-on with an unknown id, from POST /api/credentials with placeholder tokens. Kept 24 h. */
export const placeholderMarker = sqliteTable('placeholder_marker', {
  externalId: text('external_id').primaryKey(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
})

/** Maps an external id (the one in the address) to an internal account. */
export const accountMapping = sqliteTable('account_mapping', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  externalId: text('external_id').notNull().unique(),
  accountUuid: ofAccount(),
  createdAt: integer('created_at').notNull(),
})

/** A browser's session, found by the hash of its cookie. */
export const session = sqliteTable('session', {
  tokenHash: text('token_hash').primaryKey(),
  createdAt: integer('created_at').notNull(),
  lastSeenAt: integer('last_seen_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
})

/** The accounts a session has access to, each proven through OAuth or the platform's signed opening. */
export const sessionAccount = sqliteTable(
  'session_account',
  {
    tokenHash: text('token_hash')
      .notNull()
      .references(() => session.tokenHash, { onDelete: 'cascade' }),
    accountUuid: ofAccount(),
    staffUuid: text('staff_uuid'),
    /** oauth | launch */
    proof: text('proof').notNull(),
    provedAt: integer('proved_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tokenHash, t.accountUuid] })],
)

/** An account's people, as named in the platform's signed openings, and their roles. */
export const accountPerson = sqliteTable(
  'account_person',
  {
    accountUuid: ofAccount(),
    staffUuid: text('staff_uuid').notNull(),
    /** owner | member */
    role: text('role').notNull(),
    since: integer('since').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountUuid, t.staffUuid] })],
)

/** A sign-in attempt: valid for ten minutes, single use. The browser that started it holds the state in a cookie. */
export const signInAttempt = sqliteTable('sign_in_attempt', {
  stateHash: text('state_hash').primaryKey(),
  externalId: text('external_id').notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
  usedAt: integer('used_at'),
})

/** One-time tickets and used signed openings: `kind` launch (60 s), link (10 min), jwt (replay cache, 10 min). */
export const ticket = sqliteTable('ticket', {
  tokenHash: text('token_hash').primaryKey(),
  kind: text('kind').notNull(),
  accountUuid: text('account_uuid').notNull(),
  staffUuid: text('staff_uuid'),
  expiresAt: integer('expires_at').notNull(),
  usedAt: integer('used_at'),
})

// ---- webhooks -------------------------------------------------------------------------------------------------

/** Our subscription at the platform: one per account and object, with the union of the fields all consumers need. */
export const subscription = sqliteTable(
  'subscription',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: ofAccount(),
    object: text('object').notNull(),
    /** Comma-separated, sorted; the fields we asked the platform to watch. */
    fields: text('fields').notNull(),
    /** The secret part of our callback address: looked up by hash, displayed again from the sealed copy. */
    tokenHash: text('token_hash').notNull(),
    tokenSealed: text('token_sealed').notNull(),
    /** The platform's uuid of the subscription, read from its list. */
    platformUuid: text('platform_uuid'),
    /** pending (being subscribed) | active | replaced (still valid until `endsAt`) | deleted (answers 410) */
    state: text('state').notNull(),
    stateReason: text('state_reason'),
    endsAt: integer('ends_at'),
    ...dates(),
  },
  (t) => [
    uniqueIndex('subscription_by_token').on(t.tokenHash),
    index('subscriptions_of_an_account').on(t.accountUuid),
    uniqueIndex('one_active_subscription_per_object').on(t.accountUuid, t.object).where(sql`state = 'active'`),
  ],
)

/** A webhook the user created: forwards this object's events to its endpoint's address. */
export const webhook = sqliteTable(
  'webhook',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: ofAccount(),
    objectType: text('object_type').notNull(),
    /** Comma-separated; empty = all fields. */
    fields: text('fields').notNull(),
    ...dates(),
    deletedAt: integer('deleted_at'),
  },
  (t) => [uniqueIndex('one_webhook_per_object').on(t.accountUuid, t.objectType).where(sql`deleted_at is null`)],
)

/** An extra address for an object's events, besides the webhook's. Address, filter and state are on its endpoint. */
export const forwardingRule = sqliteTable(
  'forwarding_rule',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: ofAccount(),
    name: text('name').notNull(),
    objectType: text('object_type').notNull(),
    ...dates(),
    deletedAt: integer('deleted_at'),
  },
  (t) => [index('forwarding_rules_of_an_account').on(t.accountUuid, t.id).where(sql`deleted_at is null`)],
)

/** An address that receives deliveries, with its scheduling and retry state. One per webhook or forwarding rule. */
export const endpoint = sqliteTable(
  'endpoint',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: ofAccount(),
    /** The owner of the address. Exactly one of the two is set. */
    webhookId: integer('webhook_id').references(() => webhook.id),
    forwardingRuleId: integer('forwarding_rule_id').references(() => forwardingRule.id),
    objectType: text('object_type').notNull(),
    /** Comma-separated; empty = every event of the object. */
    fieldFilter: text('field_filter').notNull(),
    /** Empty = nothing is forwarded. */
    url: text('url').notNull(),
    secretSealed: text('secret_sealed').notNull(),
    previousSecretSealed: text('previous_secret_sealed'),
    previousSecretUntil: integer('previous_secret_until'),
    /** active | paused (by the user) | stopped (receiver answered 410) | failing (72 h without success) | deleted */
    state: text('state').notNull(),
    /** Of a deleted one: its state before, for an undo. */
    stateReason: text('state_reason'),
    stateSince: integer('state_since').notNull(),
    /** Endpoint-wide hold: 429, 503 with Retry-After, repeated redirects. */
    holdUntil: integer('hold_until'),
    holdReason: text('hold_reason'),
    holdSince: integer('hold_since'),
    /** closed | open */
    breaker: text('breaker').notNull(),
    breakerProbes: integer('breaker_probes').notNull(),
    nextProbeAt: integer('next_probe_at'),
    failingSince: integer('failing_since'),
    failureStreak: integer('failure_streak').notNull(),
    /** JSON list of up to 3 event seqs in the streak: the breaker opens only after failures of several events. */
    failureEvents: text('failure_events').notNull(),
    redirectStreak: integer('redirect_streak').notNull(),
    lastSuccessAt: integer('last_success_at'),
    lastAttemptAt: integer('last_attempt_at'),
    lastCode: integer('last_code'),
    lastSentence: text('last_sentence'),
    pendingCount: integer('pending_count').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('endpoints_of_an_object').on(t.accountUuid, t.objectType),
    uniqueIndex('endpoint_of_a_webhook').on(t.webhookId),
    uniqueIndex('endpoint_of_a_forwarding_rule').on(t.forwardingRuleId),
  ],
)

// ---- events and deliveries ------------------------------------------------------------------------------------

/** A change reported by the platform (or a test the user requested). Committed before it is acknowledged. */
export const event = sqliteTable(
  'event',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    /** Time-ordered uuid (v7). The stable `webhook-id` is built from the delivery instead. */
    id: text('id').notNull(),
    accountUuid: text('account_uuid').notNull(),
    subscriptionId: integer('subscription_id'),
    /** object | event | signed | test */
    source: text('source').notNull(),
    object: text('object').notNull(),
    objectUuid: text('object_uuid').notNull(),
    /** JSON list of field names. */
    changedFields: text('changed_fields').notNull(),
    receivedAt: integer('received_at').notNull(),
    dedupe: text('dedupe').notNull(),
  },
  (t) => [
    uniqueIndex('event_seen_before').on(t.accountUuid, t.dedupe),
    index('events_of_an_object_newest_first').on(t.accountUuid, t.object, t.seq),
    index('events_of_an_account_newest_first').on(t.accountUuid, t.seq),
  ],
)

/** The body as it is forwarded. In its own table because its retention is shorter. */
export const eventBody = sqliteTable('event_body', {
  seq: childOf('seq', () => event.seq).primaryKey(),
  body: text('body').notNull(),
})

/** One event going to one endpoint. There is no "in flight" state: the delivering process keeps that set in memory. */
export const delivery = sqliteTable(
  'delivery',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    eventSeq: childOf('event_seq', () => event.seq),
    endpointId: integer('endpoint_id')
      .notNull()
      .references(() => endpoint.id),
    accountUuid: text('account_uuid').notNull(),
    /** Record the event is about: two deliveries of one record never run in parallel to one endpoint. */
    objectUuid: text('object_uuid').notNull(),
    /** live | replay | retry | test */
    cause: text('cause').notNull(),
    causeNo: integer('cause_no').notNull(),
    /** pending | delivered | expired | stopped */
    state: text('state').notNull(),
    stateReason: text('state_reason'),
    dueAt: integer('due_at').notNull(),
    deadlineAt: integer('deadline_at').notNull(),
    /** Attempts made, and steps of the retry schedule used up (a hold uses none). */
    attempts: integer('attempts').notNull(),
    steps: integer('steps').notNull(),
    lastCode: integer('last_code'),
    createdAt: integer('created_at').notNull(),
    settledAt: integer('settled_at'),
  },
  (t) => [
    uniqueIndex('delivery_once_per_cause').on(t.eventSeq, t.endpointId, t.cause, t.causeNo),
    index('due_deliveries_of_an_endpoint').on(t.endpointId, t.dueAt, t.id).where(sql`state = 'pending'`),
    // Holds very few rows, so replays and manual retries are found without scanning every other pending delivery.
    index('due_again_of_an_endpoint').on(t.endpointId, t.dueAt, t.id).where(sql`state = 'pending' and cause <> 'live'`),
  ],
)

/** One delivery attempt and its result. When nothing was sent, the row records why. */
export const attempt = sqliteTable(
  'attempt',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    deliveryId: childOf('delivery_id', () => delivery.id),
    accountUuid: text('account_uuid').notNull(),
    endpointId: integer('endpoint_id').notNull(),
    url: text('url').notNull(),
    number: integer('number').notNull(),
    at: integer('at').notNull(),
    /** Total duration in ms, and its phases where known. */
    durationMs: integer('duration_ms').notNull(),
    dnsMs: integer('dns_ms'),
    connectMs: integer('connect_ms'),
    tlsMs: integer('tls_ms'),
    firstByteMs: integer('first_byte_ms'),
    /**
     * delivered | http_error | redirect | gone | rate_limited | timeout | refused | reset | dns | tls | blocked |
     * protocol | internal. When nothing was sent, why the delivery ended: expired | stopped.
     */
    outcome: text('outcome').notNull(),
    statusCode: integer('status_code'),
    /** One sentence for the user. */
    sentence: text('sentence').notNull(),
    peerIp: text('peer_ip'),
    /** The response body: at most 4 KB, text types only. */
    responseBody: text('response_body'),
    retryAfterMs: integer('retry_after_ms'),
  },
  (t) => [index('attempts_of_a_delivery').on(t.deliveryId, t.number)],
)

/** A request to resend all events since a moment. Built in small steps from `nextSeq`, so live events never starve. */
export const replay = sqliteTable(
  'replay',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: text('account_uuid').notNull(),
    endpointId: integer('endpoint_id')
      .notNull()
      .references(() => endpoint.id),
    /** Events received at or after this moment. */
    since: integer('since').notNull(),
    /** all | failed */
    status: text('status').notNull(),
    /** Only events of this record; null for all records. */
    objectUuid: text('object_uuid'),
    /** running | done | cancelled */
    state: text('state').notNull(),
    /** Events from `nextSeq` to `untilSeq` are still unprocessed. */
    nextSeq: integer('next_seq').notNull(),
    untilSeq: integer('until_seq').notNull(),
    /** Deliveries found at the request, created so far, and finished so far (delivered or not). */
    total: integer('total').notNull(),
    made: integer('made').notNull(),
    delivered: integer('delivered').notNull(),
    undelivered: integer('undelivered').notNull(),
    createdAt: integer('created_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (t) => [
    index('running_replays').on(t.id).where(sql`state = 'running'`),
    index('replays_of_an_endpoint').on(t.endpointId, t.id),
  ],
)

/** Hourly counters of an endpoint, so lists and sparklines never count rows. */
export const endpointHour = sqliteTable(
  'endpoint_hour',
  {
    endpointId: integer('endpoint_id').notNull(),
    hour: integer('hour').notNull(),
    events: integer('events').notNull(),
    delivered: integer('delivered').notNull(),
    failed: integer('failed').notNull(),
    durationSumMs: integer('duration_sum_ms').notNull(),
    durationMaxMs: integer('duration_max_ms').notNull(),
  },
  (t) => [primaryKey({ columns: [t.endpointId, t.hour] })],
)

/** Daily usage (UTC): api_call, free_call, webhook_received, webhook_forwarded, duplicate. Committed with its cause. */
export const usageDay = sqliteTable(
  'usage_day',
  {
    accountUuid: text('account_uuid').notNull(),
    day: integer('day').notNull(),
    kind: text('kind').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountUuid, t.day, t.kind] })],
)

/** Pending deliveries per account, updated with the rows, so checking the account's limit needs no count. */
export const accountLoad = sqliteTable('account_load', {
  accountUuid: text('account_uuid').primaryKey(),
  pendingCount: integer('pending_count').notNull(),
  pendingBytes: integer('pending_bytes').notNull(),
})

// ---- operations -----------------------------------------------------------------------------------------------

/** Calls between us and the platform, in both directions, redacted when written. */
export const apiActivity = sqliteTable(
  'api_activity',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: text('account_uuid').notNull(),
    activityType: text('activity_type').notNull(),
    endpoint: text('endpoint').notNull(),
    method: text('method').notNull(),
    requestData: text('request_data'),
    responseData: text('response_data'),
    statusCode: integer('status_code'),
    userAgent: text('user_agent'),
    remoteIp: text('remote_ip'),
    durationMs: integer('duration_ms'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('api_activity_newest_first').on(t.accountUuid, t.id)],
)

/** The process that delivers. Only one owner at a time, so an overlapping deploy cannot send twice. */
export const lease = sqliteTable('lease', {
  name: text('name').primaryKey(),
  owner: text('owner').notNull(),
  expiresAt: integer('expires_at').notNull(),
})

// ---- notices to the account ------------------------------------------------------------------------------

/**
 * What an account is told: about an address, an automation, or the account itself. One row per trouble, which counts
 * what happened since; its end is a row of its own. Shown on the page and optionally mailed.
 */
export const notice = sqliteTable(
  'notice',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: ofAccount(),
    /** endpoint | rule | account. Rows of a deleted subject stay until they are forgotten. */
    subjectKind: text('subject_kind').notNull(),
    /** Of the endpoint or the automation; 0 for the account. */
    subjectId: integer('subject_id').notNull(),
    /** failing | stopped | recovered | waiting | silent | undelivered | reconnect | suspended | permission | plan | upstream | weekly */
    kind: text('kind').notNull(),
    /** What makes it the same trouble: kind, step and reason code. */
    fingerprint: text('fingerprint').notNull(),
    /** When the change happened. Subject, fingerprint and `since` identify it. */
    since: integer('since').notNull(),
    /** When it happened last, and how often in all. */
    lastAt: integer('last_at').notNull(),
    count: integer('count').notNull(),
    /** Same format as in `run` (features/notices/notice-reasons.ts). */
    sentence: text('sentence'),
    reasonCode: text('reason_code'),
    reasonParams: text('reason_params'),
    /** The latest run it is about; null for others. */
    runId: integer('run_id'),
    at: integer('at').notNull(),
    /** Null = it goes on. A row that tells of an end has ended itself. */
    endedAt: integer('ended_at'),
    /** none (no recipient) | pending | sent | failed */
    mailState: text('mail_state').notNull(),
    /** Why there is no mail, or the address it went to. */
    mailSentence: text('mail_sentence'),
    mailReasonCode: text('mail_reason_code'),
    mailReasonParams: text('mail_reason_params'),
    mailTries: integer('mail_tries').notNull(),
    mailDueAt: integer('mail_due_at'),
    /** When the latest mail was begun, stored before it is sent, and what `count` was then. */
    toldAt: integer('told_at'),
    toldCount: integer('told_count').notNull(),
    dismissedAt: integer('dismissed_at'),
  },
  (t) => [
    uniqueIndex('notice_once_per_change').on(t.accountUuid, t.subjectKind, t.subjectId, t.fingerprint, t.since),
    uniqueIndex('one_open_notice_per_trouble')
      .on(t.accountUuid, t.subjectKind, t.subjectId, t.fingerprint)
      .where(sql`ended_at is null`),
    index('notices_of_an_account_newest_first').on(t.accountUuid, t.id),
    index('notices_of_a_subject').on(t.subjectKind, t.subjectId, t.id),
    index('notice_mails_due').on(t.mailDueAt).where(sql`mail_state = 'pending'`),
  ],
)

/** The latest result of the endpoint check, step by step. */
export const endpointCheck = sqliteTable('endpoint_check', {
  endpointId: childOf('endpoint_id', () => endpoint.id).primaryKey(),
  accountUuid: text('account_uuid').notNull(),
  url: text('url').notNull(),
  at: integer('at').notNull(),
  /** JSON list of steps. */
  steps: text('steps').notNull(),
})

/** An account's settings. No row = all defaults. */
export const accountSetting = sqliteTable('account_setting', {
  accountUuid: ofAccount().primaryKey(),
  /** 1 = notices are also mailed. */
  noticesByMail: integer('notices_by_mail').notNull(),
  /** Null = the e-mail address the platform has for the account. */
  noticeEmail: text('notice_email'),
  updatedAt: integer('updated_at').notNull(),
  /** Comma-separated: what is shown on the page only (domain/notices/notice.ts, `MAIL_TOPICS`). Null = nothing. */
  mailsOff: text('mails_off'),
  /** 1 = one line a week by e-mail. */
  weeklyLine: integer('weekly_line').notNull().default(0),
  /** 1 = public holidays do not count as silence. */
  holidaysOff: integer('holidays_off').notNull().default(1),
  /** JSON list of `{from, to}`, local dates: days without work of the account's own. Null = none. */
  closedDays: text('closed_days'),
})

// ---- records read from the platform --------------------------------------------------------------------------

/** How far a platform list has been read. Belongs to account, list and filter, never to a rule or webhook. */
export const pollCursor = sqliteTable(
  'poll_cursor',
  {
    accountUuid: ofAccount(),
    /** The purpose and the object: `webhook:jobcontact`, `sweep:job`. */
    source: text('source').notNull(),
    /** The latest `edit_date` seen, in the platform's account-local format; empty before the first poll. */
    watermark: text('watermark').notNull(),
    lastOkAt: integer('last_ok_at'),
    lastError: text('last_error'),
    nextAt: integer('next_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountUuid, t.source] })],
)

/** A record's values at its last read: provides "from" and "to" where the platform names only fields. */
export const recordSnapshot = sqliteTable(
  'record_snapshot',
  {
    accountUuid: ofAccount(),
    object: text('object').notNull(),
    recordUuid: text('record_uuid').notNull(),
    editDate: text('edit_date').notNull(),
    /** JSON object, field to value as text. */
    fields: text('fields').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountUuid, t.object, t.recordUuid] })],
)

// ---- automations ---------------------------------------------------------------------------------------------

/** A rule: trigger, conditions, actions. Fields that lists query are columns, the rest is JSON. */
export const automation = sqliteTable(
  'automation',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: ofAccount(),
    name: text('name').notNull(),
    active: integer('active').notNull(),
    /** webhook | api_polling | manual_endpoint */
    triggerSource: text('trigger_source').notNull(),
    /** Webhook rules: the object whose events the rule evaluates. Null for other rules. */
    watchedObject: text('watched_object'),
    /** 1 = the rule does not wait for more changes of the same record. */
    atOnce: integer('at_once').notNull().default(0),
    /** Increases with every change of the definition; a run keeps the version it started with. */
    version: integer('version').notNull(),
    /** JSON: RuleDefinition (domain/automations/rule.ts). */
    definition: text('definition').notNull(),
    /** The key in the manual trigger's address: looked up by hash, displayed again from the sealed copy. */
    triggerKeyHash: text('trigger_key_hash'),
    triggerKeySealed: text('trigger_key_sealed'),
    /** Polled rules: when the next poll is due. Null = only on request. */
    nextRunAt: integer('next_run_at'),
    /** When the rule was last switched on. Null = off. */
    activeSince: integer('active_since'),
    /** 1 = records that matched when the rule was switched on are in the ledger, so the rule skips them. */
    baselined: integer('baselined').notNull(),
    /** Since `pausedAt`, why the engine skips the rule although it is on; format as in `run`. Null = not paused. */
    pausedReason: text('paused_reason'),
    pausedReasonCode: text('paused_reason_code'),
    pausedReasonParams: text('paused_reason_params'),
    pausedAt: integer('paused_at'),
    executionCount: integer('execution_count').notNull(),
    lastExecutedAt: integer('last_executed_at'),
    ...dates(),
    deletedAt: integer('deleted_at'),
  },
  (t) => [
    index('automations_of_an_account').on(t.accountUuid, t.id).where(sql`deleted_at is null`),
    index('automations_watching_an_object')
      .on(t.accountUuid, t.watchedObject)
      .where(sql`active = 1 and deleted_at is null`),
    index('automations_due').on(t.nextRunAt).where(sql`active = 1 and deleted_at is null`),
    uniqueIndex('automation_by_trigger_key').on(t.triggerKeyHash),
  ],
)

/** A rule's definition at each version: a running run and the history need the version the run started with. */
export const automationVersion = sqliteTable(
  'automation_version',
  {
    automationId: childOf('automation_id', () => automation.id),
    version: integer('version').notNull(),
    name: text('name').notNull(),
    definition: text('definition').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.automationId, t.version] })],
)

/** A changed record that rules watch. It waits briefly for more changes, then is read once for all rules. */
export const touchedRecord = sqliteTable(
  'touched_record',
  {
    accountUuid: ofAccount(),
    object: text('object').notNull(),
    recordUuid: text('record_uuid').notNull(),
    /** JSON list: every field named since the first event. */
    changedFields: text('changed_fields').notNull(),
    /** 1 = the platform reported the record as new. */
    created: integer('created').notNull(),
    /** The latest event; null when the sweep found the change. */
    eventSeq: integer('event_seq'),
    firstAt: integer('first_at').notNull(),
    dueAt: integer('due_at').notNull(),
    /** Counts the changes, so a change that arrives during the read is not lost. */
    turn: integer('turn').notNull(),
    tries: integer('tries').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountUuid, t.object, t.recordUuid] }), index('touched_records_due').on(t.dueAt)],
)

/** A rule's execution for one record, or for a group of records. Stored before the first step does anything. */
export const run = sqliteTable(
  'run',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: ofAccount(),
    automationId: integer('automation_id')
      .notNull()
      .references(() => automation.id),
    version: integer('version').notNull(),
    /** webhook | poll | manual | person */
    source: text('source').notNull(),
    /** Identifies one firing of this rule: the ledger's key. Null = started by a person, never deduplicated. */
    occurrence: text('occurrence'),
    object: text('object').notNull(),
    /** The first (or only) record; null for an empty digest. */
    recordUuid: text('record_uuid'),
    /** JSON list of record uuids. */
    recordUuids: text('record_uuids').notNull(),
    groupKey: text('group_key'),
    /** JSON: TriggerData as the history shows it. */
    triggerData: text('trigger_data').notNull(),
    /** queued | running | waiting (until `wakeAt`) | held (a person decides) | done */
    state: text('state').notNull(),
    /** Once done: success | partial | failure | nothing | cancelled */
    outcome: text('outcome'),
    /**
     * Why the run waits, is held, or failed: one of our codes (domain/automations/run-reasons.ts) with its parameters
     * as JSON, or text from another system or from before there were codes.
     */
    reason: text('reason'),
    reasonCode: text('reason_code'),
    reasonParams: text('reason_params'),
    wakeAt: integer('wake_at').notNull(),
    /** The process start that works on the run, and the end of its lease. */
    leaseOwner: text('lease_owner'),
    leaseUntil: integer('lease_until'),
    replayOf: integer('replay_of'),
    /** How many rules' own writes led to this run. */
    hop: integer('hop').notNull(),
    createdAt: integer('created_at').notNull(),
    startedAt: integer('started_at'),
    endedAt: integer('ended_at'),
  },
  (t) => [
    index('runs_to_do').on(t.wakeAt).where(sql`state in ('queued', 'running', 'waiting')`),
    index('runs_of_an_account_newest_first').on(t.accountUuid, t.id),
    index('runs_of_a_rule_newest_first').on(t.automationId, t.id),
    index('runs_of_a_record').on(t.accountUuid, t.recordUuid, t.id),
    index('runs_held').on(t.accountUuid, t.automationId).where(sql`state = 'held'`),
  ],
)

/** The journal: one row per step (and per receiver or record in the step), written before and after each call. */
export const runStep = sqliteTable(
  'run_step',
  {
    runId: childOf('run_id', () => run.id),
    stepId: text('step_id').notNull(),
    /** The effect's index in the step's plan: `0`, `1` … */
    itemKey: text('item_key').notNull(),
    seq: integer('seq').notNull(),
    /** planned | sending | sent | failed | unknown (may have been sent) | skipped | held */
    state: text('state').notNull(),
    attempt: integer('attempt').notNull(),
    /** Stays the same for every attempt of this effect. */
    clientUuid: text('client_uuid').notNull(),
    /** JSON: the effect with its final texts, frozen at planning. */
    effect: text('effect').notNull(),
    /** JSON: the platform's response, for later steps and the history. */
    result: text('result'),
    errorClass: text('error_class'),
    /** Same format as in `run`; an action describes in its own words why its effect was not carried out. */
    sentence: text('sentence'),
    reasonCode: text('reason_code'),
    reasonParams: text('reason_params'),
    nextAttemptAt: integer('next_attempt_at'),
    plannedAt: integer('planned_at').notNull(),
    sendingAt: integer('sending_at'),
    endedAt: integer('ended_at'),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.stepId, t.itemKey] }),
    index('steps_for_a_person').on(t.runId).where(sql`state in ('unknown', 'held')`),
    index('steps_being_sent').on(t.runId).where(sql`state = 'sending'`),
  ],
)

/** The firings a rule has already handled. Survives edits and pauses. */
export const seenLedger = sqliteTable(
  'seen_ledger',
  {
    automationId: childOf('automation_id', () => automation.id),
    recordUuid: text('record_uuid').notNull(),
    occurrence: text('occurrence').notNull(),
    /** Null = the record already matched when the rule was switched on. */
    runId: integer('run_id'),
    at: integer('at').notNull(),
    expiresAt: integer('expires_at'),
  },
  (t) => [
    primaryKey({ columns: [t.automationId, t.recordUuid, t.occurrence] }),
    index('ledger_to_forget').on(t.expiresAt).where(sql`expires_at is not null`),
  ],
)

/** A rule's latest verdict on a record: answers "why did this job not fire?". Kept 90 days. */
export const ruleVerdict = sqliteTable(
  'rule_verdict',
  {
    automationId: childOf('automation_id', () => automation.id),
    recordUuid: text('record_uuid').notNull(),
    accountUuid: text('account_uuid').notNull(),
    at: integer('at').notNull(),
    /** fired | not_matched | not_triggered | done_before | first_sight | own_change | held | muted */
    verdict: text('verdict').notNull(),
    /** JSON: the first condition that failed, with the value seen. */
    detail: text('detail'),
    runId: integer('run_id'),
  },
  (t) => [
    primaryKey({ columns: [t.automationId, t.recordUuid] }),
    index('verdicts_on_a_record').on(t.accountUuid, t.recordUuid),
    index('verdicts_to_forget').on(t.at),
  ],
)

/** A field that one of our runs wrote, so we recognize the resulting event as our own. Kept 2 hours. */
export const ownWrite = sqliteTable(
  'own_write',
  {
    accountUuid: text('account_uuid').notNull(),
    object: text('object').notNull(),
    recordUuid: text('record_uuid').notNull(),
    field: text('field').notNull(),
    value: text('value').notNull(),
    runId: integer('run_id').notNull(),
    automationId: integer('automation_id').notNull(),
    hop: integer('hop').notNull(),
    at: integer('at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountUuid, t.object, t.recordUuid, t.field] }),
    index('own_writes_to_forget').on(t.at),
  ],
)

/** A message sent to a customer, counted for cool-down and daily cap. The receiver is stored only as a keyed hash. */
export const customerMessage = sqliteTable(
  'customer_message',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: text('account_uuid').notNull(),
    automationId: integer('automation_id').notNull(),
    runId: integer('run_id').notNull(),
    /** sms | email */
    channel: text('channel').notNull(),
    receiverHash: text('receiver_hash').notNull(),
    at: integer('at').notNull(),
  },
  (t) => [
    index('messages_of_a_rule').on(t.automationId, t.at),
    index('messages_to_a_receiver').on(t.accountUuid, t.receiverHash, t.at),
  ],
)

/** What became of a message to a customer, as the platform's history of messages shows it. One row per sending. */
export const messageReceipt = sqliteTable(
  'message_receipt',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: ofAccount(),
    runId: childOf('run_id', () => run.id),
    stepId: text('step_id').notNull(),
    itemKey: text('item_key').notNull(),
    /** sms | email */
    channel: text('channel').notNull(),
    /** Null = about no job: no receipt is possible. */
    jobUuid: text('job_uuid'),
    receiverHash: text('receiver_hash').notNull(),
    /** open | listed | delivered | opened | bounced | missing (not there after half an hour) | none (no job) */
    state: text('state').notNull(),
    /** When the sending began. Identifies it, together with the effect. */
    sentAt: integer('sent_at').notNull(),
    /** When it was delivered, listed or opened, by the platform; for a bounce, when it was seen. */
    stateAt: integer('state_at'),
    lookedAt: integer('looked_at'),
    /** Null = it is looked for no more. */
    nextLookAt: integer('next_look_at'),
    /** The row of the history that belongs to it. */
    historyUuid: text('history_uuid'),
    /** When rules are asked about what became of it; null = they were. */
    judgeAt: integer('judge_at'),
  },
  (t) => [
    uniqueIndex('one_receipt_per_sending').on(t.runId, t.stepId, t.itemKey, t.sentAt),
    index('receipts_to_judge').on(t.judgeAt).where(sql`judge_at is not null`),
    uniqueIndex('a_history_row_belongs_to_one_message')
      .on(t.accountUuid, t.channel, t.historyUuid)
      .where(sql`history_uuid is not null`),
    index('receipts_of_a_job').on(t.accountUuid, t.jobUuid, t.channel),
    index('bounced_receivers').on(t.accountUuid, t.receiverHash).where(sql`state = 'bounced'`),
    index('messages_not_arrived').on(t.sentAt).where(sql`state in ('bounced', 'missing')`),
  ],
)

/** A job about which an automation has written to a customer: the history is looked at for receipts and answers. */
export const conversation = sqliteTable(
  'conversation',
  {
    accountUuid: ofAccount(),
    jobUuid: text('job_uuid').notNull(),
    /** sms | email: each has a history of its own. */
    channel: text('channel').notNull(),
    /** The customer of the job; null = unknown. */
    companyUuid: text('company_uuid'),
    /** The first message of the present conversation, and the latest. */
    openedAt: integer('opened_at').notNull(),
    lastMessageAt: integer('last_message_at').notNull(),
    /** When the latest look began; null = none yet. */
    lookedAt: integer('looked_at'),
    /** Looks that failed since the last good one. */
    tries: integer('tries').notNull(),
    nextLookAt: integer('next_look_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountUuid, t.jobUuid, t.channel] }),
    index('conversations_to_look_at').on(t.nextLookAt),
    index('conversations_of_a_customer').on(t.accountUuid, t.companyUuid),
  ],
)

/** What a customer answered. While it is open, automatic messages to that customer wait for a person. */
export const customerReply = sqliteTable(
  'customer_reply',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: ofAccount(),
    jobUuid: text('job_uuid').notNull(),
    companyUuid: text('company_uuid'),
    /** sms | email */
    channel: text('channel').notNull(),
    historyUuid: text('history_uuid').notNull(),
    /** Keyed hash of the sender, as in `customer_message`; '' = the platform does not say who. */
    senderHash: text('sender_hash').notNull(),
    words: text('words').notNull(),
    /** By the platform's clock, and by ours. */
    writtenAt: integer('written_at').notNull(),
    seenAt: integer('seen_at').notNull(),
    /** open | went_on | stopped | muted (a STOP word) | rule (an automation for answers took it) */
    state: text('state').notNull(),
    settledAt: integer('settled_at'),
    settledBy: text('settled_by'),
    /** Our id of the staff message, and when it is due; null = it was sent, or needs none. */
    tellUuid: text('tell_uuid').notNull(),
    tellAt: integer('tell_at'),
    tellTries: integer('tell_tries').notNull(),
    /** When automations for answers are asked; null = they were. */
    judgeAt: integer('judge_at'),
  },
  (t) => [
    uniqueIndex('an_answer_is_read_once').on(t.accountUuid, t.channel, t.historyUuid),
    index('open_answers').on(t.accountUuid).where(sql`state = 'open'`),
    index('answers_newest_first').on(t.accountUuid, t.id),
    index('answers_to_tell').on(t.tellAt).where(sql`tell_at is not null`),
    index('answers_to_judge').on(t.judgeAt).where(sql`judge_at is not null`),
  ],
)

/** What the platform's histories of messages let us read, for each account. No row = nothing was looked for yet. */
export const listening = sqliteTable('listening', {
  accountUuid: ofAccount().primaryKey(),
  /** Null = not refused. */
  smsRefusedAt: integer('sms_refused_at'),
  emailRefusedAt: integer('email_refused_at'),
  /** The latest good look at either, and how many conversations were looked at. */
  readAt: integer('read_at'),
  conversations: integer('conversations').notNull(),
  /** When a message from a customer was first seen; null = never. */
  inboundAt: integer('inbound_at'),
  /** A person has read that answers do not show. */
  dismissedAt: integer('dismissed_at'),
})

/** A mute: no automatic messages to this customer, or about this job. */
export const mute = sqliteTable(
  'mute',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: ofAccount(),
    /** company | job */
    kind: text('kind').notNull(),
    recordUuid: text('record_uuid').notNull(),
    untilAt: integer('until_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [uniqueIndex('one_mute_per_record').on(t.accountUuid, t.kind, t.recordUuid)],
)

/** Makes a repeated call return the same run: `Idempotency-Key` of the manual trigger for 24 h, a click for 10 s. */
export const triggerCall = sqliteTable(
  'trigger_call',
  {
    automationId: childOf('automation_id', () => automation.id),
    key: text('key').notNull(),
    runId: integer('run_id').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.automationId, t.key] })],
)

/** Templates made by admins. The shipped library is part of the source code, with ids below 1,000. */
export const automationTemplate = sqliteTable('automation_template', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  accountUuid: text('account_uuid').notNull(),
  name: text('name').notNull(),
  description: text('description').notNull(),
  category: text('category').notNull(),
  isPublic: integer('is_public').notNull(),
  /** JSON: RuleDefinition. */
  definition: text('definition').notNull(),
  ...dates(),
})

/** How often a template, shipped or custom, was copied. */
export const templateUse = sqliteTable('template_use', {
  templateId: integer('template_id').primaryKey(),
  count: integer('count').notNull(),
})

/** An account's limits on customer messages: quiet hours, cool-down, caps. No row = the generous defaults. */
export const automationGuard = sqliteTable('automation_guard', {
  accountUuid: ofAccount().primaryKey(),
  /** JSON: AccountGuards (features/automations/rules/guards.ts). */
  guards: text('guards').notNull(),
  updatedAt: integer('updated_at').notNull(),
})

/** A half-written form of the page without scripts: what a press elsewhere on the page would lose. Kept for hours. */
export const formDraft = sqliteTable(
  'form_draft',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: ofAccount(),
    tokenHash: text('token_hash').notNull(),
    /** JSON, sealed with the account's key: people write names and numbers into forms. */
    formSealed: text('form_sealed').notNull(),
    /** Characters of the form. */
    weight: integer('weight').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [uniqueIndex('form_draft_by_token').on(t.tokenHash), index('form_drafts_of_an_account').on(t.accountUuid)],
)

// ---- billing -----------------------------------------------------------------------------------------------------

/**
 * An account's plan: the trial, which only we track, and a projection of the payment provider's subscription. Has no
 * foreign key, so an account that disconnects and returns keeps its trial dates.
 */
export const plan = sqliteTable('plan', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  accountUuid: text('account_uuid').notNull().unique(),
  /** trial | active | past_due | unpaid | canceled, or another status of the provider, shown unchanged */
  status: text('status').notNull(),
  trialStartedAt: integer('trial_started_at').notNull(),
  trialEndsAt: integer('trial_ends_at').notNull(),
  /** The paid month. Null before the first payment. */
  currentPeriodStart: integer('current_period_start'),
  currentPeriodEnd: integer('current_period_end'),
  /** 1 = ends with the paid month. */
  cancelAtPeriodEnd: integer('cancel_at_period_end').notNull(),
  pastDueSince: integer('past_due_since'),
  customerId: text('customer_id').unique(),
  /** The paid subscription. A subscription whose first payment is still open is in `openSubscriptionId`. */
  subscriptionId: text('subscription_id'),
  priceId: text('price_id'),
  openSubscriptionId: text('open_subscription_id'),
  /** full | credit: the offer quoted for the open subscription. */
  openOffer: text('open_offer'),
  /** A pending payment for an early renewal, neither paid nor abandoned. */
  openRenewalId: text('open_renewal_id'),
  /** Part of the idempotency keys: increases when an offer changes or a subscription is abandoned. */
  paymentAttempt: integer('payment_attempt').notNull(),
  /** When and why (domain/plan-hold.ts) sending stopped for this account; events are still stored. Null = not held. */
  heldSince: integer('held_since'),
  holdReason: text('hold_reason'),
  /** When the projection was last read from the provider. */
  lastSyncedAt: integer('last_synced_at'),
  ...dates(),
})

/** Each event of the payment provider, stored once. Marked processed only after its work is committed. */
export const paymentEvent = sqliteTable(
  'payment_event',
  {
    id: text('id').primaryKey(),
    type: text('type').notNull(),
    createdAt: integer('created_at').notNull(),
    receivedAt: integer('received_at').notNull(),
    processedAt: integer('processed_at'),
    failures: integer('failures').notNull(),
    error: text('error'),
  },
  (t) => [index('payment_events_by_age').on(t.receivedAt)],
)

/** A paid early renewal: applied to the subscription once, or refunded. */
export const renewalPayment = sqliteTable('renewal_payment', {
  paymentId: text('payment_id').primaryKey(),
  accountUuid: text('account_uuid').notNull(),
  /** paid | applied | refunded */
  state: text('state').notNull(),
  /** Pence. */
  amount: integer('amount').notNull(),
  ...dates(),
})

/** Completed days of usage to report to the provider's meter, when a price for usage is configured. */
export const usageReport = sqliteTable(
  'usage_report',
  {
    /** Also the provider's idempotency key: a day is counted once, however often it is sent. */
    identifier: text('identifier').primaryKey(),
    accountUuid: text('account_uuid').notNull(),
    /** Days since 1970, UTC. */
    day: integer('day').notNull(),
    count: integer('count').notNull(),
    sentAt: integer('sent_at'),
    failures: integer('failures').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('usage_report_of_a_day').on(t.accountUuid, t.day),
    index('usage_reports_to_send').on(t.createdAt).where(sql`sent_at is null`),
  ],
)

// ---- security ----------------------------------------------------------------------------------------------------

/**
 * The key that seals an account's secrets, itself sealed with a key from `ENC_KEYS`. Without this row the account's
 * data is unreadable, in backups too. No foreign key: the row is deleted separately, last.
 */
export const accountKey = sqliteTable('account_key', {
  accountUuid: text('account_uuid').primaryKey(),
  /** The key from `ENC_KEYS` that sealed it: rotation looks for rows with other keys. */
  sealedWith: text('sealed_with').notNull(),
  keySealed: text('key_sealed').notNull(),
  createdAt: integer('created_at').notNull(),
})

/** Who did what: append-only, deleted after 400 days. No foreign key, so it outlives the account. */
export const auditEntry = sqliteTable(
  'audit_entry',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    at: integer('at').notNull(),
    /** Null for an unknown caller that was refused. */
    accountUuid: text('account_uuid'),
    /** session | staff | platform | system | stranger */
    actor: text('actor').notNull(),
    staffUuid: text('staff_uuid'),
    /** `sign_in`, `rule.changed` … (features/audit/audit.ts has the list). */
    action: text('action').notNull(),
    /** The target of the action, in words or as an id; never a secret, never a customer's address in clear. */
    target: text('target').notNull(),
    /** done | refused | failed */
    outcome: text('outcome').notNull(),
    /** The caller's IP address; null for background work. */
    ip: text('ip'),
    /** Small JSON object of facts, redacted. */
    detail: text('detail').notNull(),
  },
  (t) => [index('audit_of_an_account').on(t.accountUuid, t.id), index('audit_by_age').on(t.at)],
)

// ---- operations -----------------------------------------------------------------------------------------------

/** Every backup and every restore drill, with its result. The backup itself is in the backup storage. */
export const backupRun = sqliteTable(
  'backup_run',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** backup | drill */
    kind: text('kind').notNull(),
    startedAt: integer('started_at').notNull(),
    /** Null while it runs, and permanently if the process ended before it did. */
    endedAt: integer('ended_at'),
    /** running | done | failed */
    outcome: text('outcome').notNull(),
    /** The backup's name in the backup storage; empty until it has one. */
    name: text('name').notNull(),
    /** Size in bytes of the database, and of the stored backup. */
    databaseBytes: integer('database_bytes').notNull(),
    storedBytes: integer('stored_bytes').notNull(),
    /** A sentence for the operator: why it failed, or empty. */
    message: text('message').notNull(),
    /** Small JSON object of facts: what a drill checked. */
    detail: text('detail').notNull(),
  },
  (t) => [index('newest_of_a_kind').on(t.kind, t.id)],
)

// Every table of the product on one page. Moments are epoch milliseconds, flags 0 or 1, JSON is text.
// Tables are STRICT and enums are CHECKed in the migrations (drizzle-kit writes neither: see db/migrations).
// An index is named after the question it answers.
import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

// ---- accounts -------------------------------------------------------------------------------------------------

/** A platform account (its vendor uuid). Exists from the first successful sign-in. */
export const account = sqliteTable('account', {
  uuid: text('uuid').primaryKey(),
  name: text('name').notNull(),
  timezone: text('timezone').notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
})

/** The platform's tokens of an account, sealed. `generation` is the compare-and-swap guard of the rotating refresh token. */
export const credential = sqliteTable('credential', {
  accountUuid: text('account_uuid')
    .primaryKey()
    .references(() => account.uuid, { onDelete: 'cascade' }),
  accessTokenSealed: text('access_token_sealed').notNull(),
  refreshTokenSealed: text('refresh_token_sealed').notNull(),
  expiresAt: integer('expires_at').notNull(),
  scope: text('scope').notNull(),
  /** connected | reconnect */
  state: text('state').notNull(),
  stateReason: text('state_reason'),
  generation: integer('generation').notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
})

/** "Somebody opened the add-on with this unknown id": written by POST /api/credentials with placeholder tokens, gone after 24 h. */
export const placeholderMarker = sqliteTable('placeholder_marker', {
  externalId: text('external_id').primaryKey(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
})

/** External id (what the address carries) to internal account. */
export const accountMapping = sqliteTable('account_mapping', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  externalId: text('external_id').notNull().unique(),
  accountUuid: text('account_uuid')
    .notNull()
    .references(() => account.uuid, { onDelete: 'cascade' }),
  createdAt: integer('created_at').notNull(),
})

/** A browser's session, found by the hash of its cookie. */
export const session = sqliteTable('session', {
  tokenHash: text('token_hash').primaryKey(),
  createdAt: integer('created_at').notNull(),
  lastSeenAt: integer('last_seen_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
})

/** The accounts a session has proved, each through OAuth or the platform's signed opening. */
export const sessionAccount = sqliteTable(
  'session_account',
  {
    tokenHash: text('token_hash')
      .notNull()
      .references(() => session.tokenHash, { onDelete: 'cascade' }),
    accountUuid: text('account_uuid')
      .notNull()
      .references(() => account.uuid, { onDelete: 'cascade' }),
    staffUuid: text('staff_uuid'),
    /** oauth | launch */
    proof: text('proof').notNull(),
    provedAt: integer('proved_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tokenHash, t.accountUuid] })],
)

/** One attempt to sign in: ten minutes long, used once. The browser it belongs to holds the state in a cookie. */
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

/** Our subscription at the platform: one per account and object, with the union of the fields anybody needs. */
export const subscription = sqliteTable(
  'subscription',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: text('account_uuid')
      .notNull()
      .references(() => account.uuid, { onDelete: 'cascade' }),
    object: text('object').notNull(),
    /** Comma-separated, sorted; what the platform was asked to watch. */
    fields: text('fields').notNull(),
    /** The secret part of our address, found by hash and shown again from the sealed copy. */
    tokenHash: text('token_hash').notNull(),
    tokenSealed: text('token_sealed').notNull(),
    /** The platform's uuid of it, learned from its list. */
    platformUuid: text('platform_uuid'),
    /** pending (being subscribed) | active | replaced (still valid until `endsAt`) | deleted (answers 410) */
    state: text('state').notNull(),
    stateReason: text('state_reason'),
    endsAt: integer('ends_at'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('subscription_by_token').on(t.tokenHash),
    uniqueIndex('one_active_subscription_per_object').on(t.accountUuid, t.object).where(sql`state = 'active'`),
  ],
)

/** What the user made: forward this object's events to this address. */
export const webhook = sqliteTable(
  'webhook',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: text('account_uuid')
      .notNull()
      .references(() => account.uuid, { onDelete: 'cascade' }),
    objectType: text('object_type').notNull(),
    /** Comma-separated; empty = all fields. */
    fields: text('fields').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    deletedAt: integer('deleted_at'),
  },
  (t) => [uniqueIndex('one_webhook_per_object').on(t.accountUuid, t.objectType).where(sql`deleted_at is null`)],
)

/** An address deliveries go to, with everything fairness and patience know about it. One per webhook (and, later, one per forwarding rule). */
export const endpoint = sqliteTable(
  'endpoint',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    accountUuid: text('account_uuid')
      .notNull()
      .references(() => account.uuid, { onDelete: 'cascade' }),
    webhookId: integer('webhook_id').references(() => webhook.id),
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
    stateReason: text('state_reason'),
    stateSince: integer('state_since').notNull(),
    /** Endpoint-wide wait: 429, 503 with Retry-After, repeated redirects. */
    holdUntil: integer('hold_until'),
    holdReason: text('hold_reason'),
    holdSince: integer('hold_since'),
    /** closed | open */
    breaker: text('breaker').notNull(),
    breakerProbes: integer('breaker_probes').notNull(),
    nextProbeAt: integer('next_probe_at'),
    failingSince: integer('failing_since'),
    failureStreak: integer('failure_streak').notNull(),
    /** JSON list of up to 3 event seqs that make up the streak: the breaker wants failures of several events. */
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
  ],
)

// ---- events and deliveries ------------------------------------------------------------------------------------

/** One change the platform told us about (or a test the user asked for). Committed before it is acknowledged. */
export const event = sqliteTable(
  'event',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    /** Time-ordered uuid (v7): the stable `webhook-id` is built from the delivery, not from this. */
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

/** The body as it is forwarded, apart because it is kept for a shorter time. */
export const eventBody = sqliteTable('event_body', {
  seq: integer('seq')
    .primaryKey()
    .references(() => event.seq, { onDelete: 'cascade' }),
  body: text('body').notNull(),
})

/** One event on its way to one endpoint. There is no "in flight" state: that set lives in the one process that delivers. */
export const delivery = sqliteTable(
  'delivery',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    eventSeq: integer('event_seq')
      .notNull()
      .references(() => event.seq, { onDelete: 'cascade' }),
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
    // Hardly any row is in it: replays and manual retries are found without passing over everything else that waits.
    index('due_again_of_an_endpoint').on(t.endpointId, t.dueAt, t.id).where(sql`state = 'pending' and cause <> 'live'`),
  ],
)

/** One try, with the truth about it. A reason for not trying is a row as well. */
export const attempt = sqliteTable(
  'attempt',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    deliveryId: integer('delivery_id')
      .notNull()
      .references(() => delivery.id, { onDelete: 'cascade' }),
    accountUuid: text('account_uuid').notNull(),
    endpointId: integer('endpoint_id').notNull(),
    url: text('url').notNull(),
    number: integer('number').notNull(),
    at: integer('at').notNull(),
    /** Whole duration in ms, and its parts where known. */
    durationMs: integer('duration_ms').notNull(),
    dnsMs: integer('dns_ms'),
    connectMs: integer('connect_ms'),
    tlsMs: integer('tls_ms'),
    firstByteMs: integer('first_byte_ms'),
    /**
     * delivered | http_error | redirect | gone | rate_limited | timeout | refused | reset | dns | tls | blocked | protocol | internal,
     * or, where nothing was sent, why it ended: expired | stopped.
     */
    outcome: text('outcome').notNull(),
    statusCode: integer('status_code'),
    /** One sentence for a person. */
    sentence: text('sentence').notNull(),
    peerIp: text('peer_ip'),
    /** The answer's text, at most 4 KB, text types only. */
    responseBody: text('response_body'),
    retryAfterMs: integer('retry_after_ms'),
  },
  (t) => [index('attempts_of_a_delivery').on(t.deliveryId, t.number)],
)

/** "Send again everything since …": made in small steps from `nextSeq` on, so that it never crowds out what is live. */
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
    /** Only events of this record; null = of all. */
    objectUuid: text('object_uuid'),
    /** running | done | cancelled */
    state: text('state').notNull(),
    /** Events from `nextSeq` to `untilSeq` are still to be looked at. */
    nextSeq: integer('next_seq').notNull(),
    untilSeq: integer('until_seq').notNull(),
    /** How many were found when it was asked for, made so far, and ended so far (delivered or not). */
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

/** Hourly counters of an endpoint: lists and sparklines never count rows. */
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

/** What an account used, per UTC day: api_call, webhook_received, webhook_forwarded, duplicate. Written with the thing it counts. */
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

/** Waiting deliveries per account, kept with the rows themselves: the limit of one account is read without counting. */
export const accountLoad = sqliteTable('account_load', {
  accountUuid: text('account_uuid').primaryKey(),
  pendingCount: integer('pending_count').notNull(),
  pendingBytes: integer('pending_bytes').notNull(),
})

// ---- operations -----------------------------------------------------------------------------------------------

/** What we said to the platform and it to us, redacted when written. */
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

/** Who delivers: one owner at a time, so that an overlapping deploy cannot send twice. */
export const lease = sqliteTable('lease', {
  name: text('name').primaryKey(),
  owner: text('owner').notNull(),
  expiresAt: integer('expires_at').notNull(),
})

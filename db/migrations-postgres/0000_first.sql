-- The whole schema for PostgreSQL: what all of db/migrations lead to in SQLite, with the same names and rules.
-- A test compares both (db/postgres/catalogue.test.ts). Whole numbers are bigint, JSON stays text, text sorts by bytes.

-- Functions that SQLite has, so that one SQL text serves both engines. Each answers as SQLite does.

CREATE FUNCTION max(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN a >= b THEN a WHEN a < b THEN b END;

CREATE FUNCTION min(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN a <= b THEN a WHEN a > b THEN b END;

CREATE FUNCTION max(a bigint, b bigint, c bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN max(max(a, b), c);

CREATE FUNCTION min(a bigint, b bigint, c bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN min(min(a, b), c);

-- An integer, because substr takes no bigint.
CREATE FUNCTION instr(whole text, part text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN strpos(whole, part);

-- IS JSON exists from PostgreSQL 16 on; trying is slower.
DO $$
BEGIN
  IF current_setting('server_version_num')::int >= 160000 THEN
    CREATE FUNCTION json_valid(x text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT
      AS 'BEGIN RETURN x IS JSON; END';
  ELSE
    CREATE FUNCTION json_valid(x text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT
      AS 'BEGIN PERFORM x::json; RETURN true; EXCEPTION WHEN data_exception THEN RETURN false; END';
  END IF;
END $$;

-- PostgreSQL stores "\u0000" and halves of a surrogate pair in JSON, but reads no value of such a text, not even another
-- one. Here they are U+FFFD. chr(1) stands for an escaped backslash meanwhile: JSON contains none.
CREATE FUNCTION json_without_unreadable(x text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN replace(
    regexp_replace(
      regexp_replace(
        replace(x, '\\', chr(1)),
        '\\u(0000|[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F]))', '\\ufffd', 'g'
      ),
      '(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}', '\\ufffd', 'g'
    ),
    chr(1), '\\'
  );

CREATE FUNCTION readable_json(x text) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN strpos(x, '\u') = 0 THEN x ELSE json_without_unreadable(x) END::json;

-- A JSON value as text: strings without quotes, true and false as 1 and 0, null as NULL.
CREATE FUNCTION json_plain(value json) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE json_typeof(value)
    WHEN 'boolean' THEN CASE value #>> '{}' WHEN 'true' THEN '1' ELSE '0' END
    ELSE value #>> '{}'
  END;

-- Always text: numbers need a CAST. Paths of plain names and indices: $, $.a.b, $[0]. Not plain SQL, because that would be
-- put into the statement and read the text three times.
CREATE FUNCTION json_extract(x text, path text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
  steps text[] := string_to_array(ltrim(translate(substr(path, 2), '[]', '.'), '.'), '.');
  found json := readable_json(x) #> steps;
BEGIN
  RETURN json_plain(found);
END $$;

-- A text as a JSON string, as JSON.stringify writes it; NULL as null.
CREATE FUNCTION json_quote(x text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  RETURN coalesce(to_json(x)::text, 'null');

-- Paths of one name each: $.a. The other members stay as they are, in their order.
CREATE FUNCTION json_remove(x text, VARIADIC paths text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE json_typeof(x::json)
    WHEN 'object' THEN (
      SELECT '{' || coalesce(string_agg(json_quote(key) || ':' || value, ',' ORDER BY place), '') || '}'
      FROM json_each(readable_json(x)) WITH ORDINALITY AS member (key, value, place)
      WHERE '$.' || key <> ALL (paths)
    )
    ELSE x
  END;

CREATE FUNCTION json_array_length(x text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE
    WHEN x IS NULL THEN NULL
    WHEN json_typeof(x::json) = 'array' THEN json_array_length(x::json)
    ELSE 0
  END;

-- Of an array or an object. Values are text: numbers need a CAST.
CREATE FUNCTION json_each(x text) RETURNS TABLE (key text, value text) LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT (place - 1)::text, json_plain(element)
  FROM json_array_elements(CASE json_typeof(readable_json(x)) WHEN 'array' THEN readable_json(x) END)
    WITH ORDINALITY AS item (element, place)
  UNION ALL
  SELECT name, json_plain(element)
  FROM json_each(CASE json_typeof(readable_json(x)) WHEN 'object' THEN readable_json(x) END)
    AS member (name, element);
END;

-- Accounts, people and sign-in.

CREATE TABLE account (
  uuid text COLLATE "C" PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  timezone text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  repeats_told bigint NOT NULL DEFAULT 1 CHECK (repeats_told IN (0, 1))
);

CREATE TABLE account_setting (
  account_uuid text COLLATE "C" PRIMARY KEY REFERENCES account (uuid) ON DELETE CASCADE,
  notices_by_mail bigint NOT NULL CHECK (notices_by_mail IN (0, 1)),
  notice_email text COLLATE "C",
  updated_at bigint NOT NULL
);

CREATE TABLE account_mapping (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  external_id text COLLATE "C" NOT NULL,
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  created_at bigint NOT NULL
);
CREATE UNIQUE INDEX account_mapping_external_id_unique ON account_mapping (external_id);

CREATE TABLE account_key (
  account_uuid text COLLATE "C" PRIMARY KEY,
  sealed_with text COLLATE "C" NOT NULL,
  key_sealed text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL
);

CREATE TABLE account_person (
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  staff_uuid text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL CHECK (role IN ('owner', 'member')),
  since bigint NOT NULL,
  PRIMARY KEY (account_uuid, staff_uuid)
);

CREATE TABLE credential (
  account_uuid text COLLATE "C" PRIMARY KEY REFERENCES account (uuid) ON DELETE CASCADE,
  access_token_sealed text COLLATE "C" NOT NULL,
  refresh_token_sealed text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  scope text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('connected', 'reconnect')),
  state_reason text COLLATE "C",
  generation bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE TABLE session (
  token_hash text COLLATE "C" PRIMARY KEY,
  created_at bigint NOT NULL,
  last_seen_at bigint NOT NULL,
  expires_at bigint NOT NULL
);

CREATE TABLE session_account (
  token_hash text COLLATE "C" NOT NULL REFERENCES session (token_hash) ON DELETE CASCADE,
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  staff_uuid text COLLATE "C",
  proof text COLLATE "C" NOT NULL CHECK (proof IN ('oauth', 'launch')),
  proved_at bigint NOT NULL,
  PRIMARY KEY (token_hash, account_uuid)
);

CREATE TABLE sign_in_attempt (
  state_hash text COLLATE "C" PRIMARY KEY,
  external_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  used_at bigint
);

CREATE TABLE ticket (
  token_hash text COLLATE "C" PRIMARY KEY,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('launch', 'link', 'jwt')),
  account_uuid text COLLATE "C" NOT NULL,
  staff_uuid text COLLATE "C",
  expires_at bigint NOT NULL,
  used_at bigint
);

CREATE TABLE placeholder_marker (
  external_id text COLLATE "C" PRIMARY KEY,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);

-- What ServiceM8 tells us.

CREATE TABLE subscription (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  object text COLLATE "C" NOT NULL,
  fields text COLLATE "C" NOT NULL,
  token_hash text COLLATE "C" NOT NULL,
  token_sealed text COLLATE "C" NOT NULL,
  platform_uuid text COLLATE "C",
  state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'active', 'replaced', 'deleted')),
  state_reason text COLLATE "C",
  ends_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE UNIQUE INDEX subscription_by_token ON subscription (token_hash);
CREATE UNIQUE INDEX one_active_subscription_per_object ON subscription (account_uuid, object) WHERE state = 'active';

CREATE TABLE webhook (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  object_type text COLLATE "C" NOT NULL,
  fields text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  deleted_at bigint
);
CREATE UNIQUE INDEX one_webhook_per_object ON webhook (account_uuid, object_type) WHERE deleted_at IS NULL;

CREATE TABLE forwarding_rule (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  object_type text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  deleted_at bigint
);
CREATE INDEX forwarding_rules_of_an_account ON forwarding_rule (account_uuid, id) WHERE deleted_at IS NULL;

CREATE TABLE record_snapshot (
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  object text COLLATE "C" NOT NULL,
  record_uuid text COLLATE "C" NOT NULL,
  edit_date text COLLATE "C" NOT NULL,
  fields text COLLATE "C" NOT NULL,
  first_seen_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (account_uuid, object, record_uuid)
);

CREATE TABLE poll_cursor (
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  source text COLLATE "C" NOT NULL,
  watermark text COLLATE "C" NOT NULL,
  last_ok_at bigint,
  last_error text COLLATE "C",
  next_at bigint NOT NULL,
  PRIMARY KEY (account_uuid, source)
);

-- Addresses.

CREATE TABLE endpoint (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  webhook_id bigint REFERENCES webhook (id),
  object_type text COLLATE "C" NOT NULL,
  field_filter text COLLATE "C" NOT NULL,
  url text COLLATE "C" NOT NULL,
  secret_sealed text COLLATE "C" NOT NULL,
  previous_secret_sealed text COLLATE "C",
  previous_secret_until bigint,
  state text COLLATE "C" NOT NULL CHECK (state IN ('active', 'paused', 'stopped', 'failing', 'deleted')),
  state_reason text COLLATE "C",
  state_since bigint NOT NULL,
  hold_until bigint,
  hold_reason text COLLATE "C",
  hold_since bigint,
  breaker text COLLATE "C" NOT NULL CHECK (breaker IN ('closed', 'open')),
  breaker_probes bigint NOT NULL,
  next_probe_at bigint,
  failing_since bigint,
  failure_streak bigint NOT NULL,
  failure_events text COLLATE "C" NOT NULL CHECK (json_valid(failure_events)),
  redirect_streak bigint NOT NULL,
  last_success_at bigint,
  last_attempt_at bigint,
  last_code bigint,
  last_sentence text COLLATE "C",
  pending_count bigint NOT NULL,
  created_at bigint NOT NULL,
  forwarding_rule_id bigint REFERENCES forwarding_rule (id)
) WITH (fillfactor = 70);
CREATE INDEX endpoints_of_an_object ON endpoint (account_uuid, object_type);
CREATE UNIQUE INDEX endpoint_of_a_webhook ON endpoint (webhook_id);
CREATE UNIQUE INDEX endpoint_of_a_forwarding_rule ON endpoint (forwarding_rule_id);

CREATE TABLE endpoint_hour (
  endpoint_id bigint NOT NULL,
  hour bigint NOT NULL,
  events bigint NOT NULL,
  delivered bigint NOT NULL,
  failed bigint NOT NULL,
  duration_sum_ms bigint NOT NULL,
  duration_max_ms bigint NOT NULL,
  PRIMARY KEY (endpoint_id, hour)
) WITH (fillfactor = 70);

CREATE TABLE endpoint_check (
  endpoint_id bigint PRIMARY KEY REFERENCES endpoint (id) ON DELETE CASCADE,
  account_uuid text COLLATE "C" NOT NULL,
  url text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  steps text COLLATE "C" NOT NULL
);

CREATE TABLE endpoint_notice (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL,
  endpoint_id bigint NOT NULL REFERENCES endpoint (id) ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('failing', 'stopped', 'recovered')),
  since bigint NOT NULL,
  sentence text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  mail_state text COLLATE "C" NOT NULL CHECK (mail_state IN ('none', 'pending', 'sent', 'failed')),
  mail_sentence text COLLATE "C",
  mail_tries bigint NOT NULL,
  mail_due_at bigint,
  dismissed_at bigint,
  reason_code text COLLATE "C",
  reason_params text COLLATE "C" CHECK (json_valid(reason_params)),
  mail_reason_code text COLLATE "C",
  mail_reason_params text COLLATE "C" CHECK (json_valid(mail_reason_params))
);
CREATE UNIQUE INDEX notice_once_per_change ON endpoint_notice (endpoint_id, kind, since);
CREATE INDEX notices_of_an_account_newest_first ON endpoint_notice (account_uuid, id);
CREATE INDEX notice_mails_due ON endpoint_notice (mail_due_at) WHERE mail_state = 'pending';

-- Events and deliveries.

CREATE TABLE event (
  seq bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  account_uuid text COLLATE "C" NOT NULL,
  subscription_id bigint,
  source text COLLATE "C" NOT NULL CHECK (source IN ('object', 'event', 'signed', 'test')),
  object text COLLATE "C" NOT NULL,
  object_uuid text COLLATE "C" NOT NULL,
  changed_fields text COLLATE "C" NOT NULL CHECK (json_valid(changed_fields)),
  received_at bigint NOT NULL,
  dedupe text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX event_seen_before ON event (account_uuid, dedupe);
CREATE INDEX events_of_an_object_newest_first ON event (account_uuid, object, seq);
CREATE INDEX events_of_an_account_newest_first ON event (account_uuid, seq);

CREATE TABLE event_body (
  seq bigint PRIMARY KEY REFERENCES event (seq) ON DELETE CASCADE,
  body text COLLATE "C" NOT NULL
);

CREATE TABLE delivery (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  event_seq bigint NOT NULL REFERENCES event (seq) ON DELETE CASCADE,
  endpoint_id bigint NOT NULL REFERENCES endpoint (id),
  account_uuid text COLLATE "C" NOT NULL,
  object_uuid text COLLATE "C" NOT NULL,
  cause text COLLATE "C" NOT NULL CHECK (cause IN ('live', 'replay', 'retry', 'test')),
  cause_no bigint NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'expired', 'stopped')),
  state_reason text COLLATE "C",
  due_at bigint NOT NULL,
  deadline_at bigint NOT NULL,
  attempts bigint NOT NULL,
  steps bigint NOT NULL,
  last_code bigint,
  created_at bigint NOT NULL,
  settled_at bigint
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE UNIQUE INDEX delivery_once_per_cause ON delivery (event_seq, endpoint_id, cause, cause_no);
CREATE INDEX due_deliveries_of_an_endpoint ON delivery (endpoint_id, due_at, id) WHERE state = 'pending';
CREATE INDEX due_again_of_an_endpoint ON delivery (endpoint_id, due_at, id)
  WHERE state = 'pending' AND cause <> 'live';

CREATE TABLE attempt (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  delivery_id bigint NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
  account_uuid text COLLATE "C" NOT NULL,
  endpoint_id bigint NOT NULL,
  url text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  at bigint NOT NULL,
  duration_ms bigint NOT NULL,
  dns_ms bigint,
  connect_ms bigint,
  tls_ms bigint,
  first_byte_ms bigint,
  outcome text COLLATE "C" NOT NULL
    CHECK (outcome IN (
      'delivered', 'http_error', 'redirect', 'gone', 'rate_limited', 'timeout', 'refused', 'reset', 'dns', 'tls', 'blocked',
      'protocol', 'internal', 'expired', 'stopped'
    )),
  status_code bigint,
  sentence text COLLATE "C" NOT NULL,
  peer_ip text COLLATE "C",
  response_body text COLLATE "C",
  retry_after_ms bigint
);
CREATE INDEX attempts_of_a_delivery ON attempt (delivery_id, number);

CREATE TABLE replay (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL,
  endpoint_id bigint NOT NULL REFERENCES endpoint (id),
  since bigint NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('all', 'failed')),
  object_uuid text COLLATE "C",
  state text COLLATE "C" NOT NULL CHECK (state IN ('running', 'done', 'cancelled')),
  next_seq bigint NOT NULL,
  until_seq bigint NOT NULL,
  total bigint NOT NULL,
  made bigint NOT NULL,
  delivered bigint NOT NULL,
  undelivered bigint NOT NULL,
  created_at bigint NOT NULL,
  ended_at bigint
);
CREATE INDEX running_replays ON replay (id) WHERE state = 'running';
CREATE INDEX replays_of_an_endpoint ON replay (endpoint_id, id);

CREATE TABLE account_load (
  account_uuid text COLLATE "C" PRIMARY KEY,
  pending_count bigint NOT NULL,
  pending_bytes bigint NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE usage_day (
  account_uuid text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  kind text COLLATE "C" NOT NULL
    CHECK (kind IN ('api_call', 'free_call', 'webhook_received', 'webhook_forwarded', 'duplicate')),
  count bigint NOT NULL,
  PRIMARY KEY (account_uuid, day, kind)
) WITH (fillfactor = 70);

CREATE TABLE api_activity (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL,
  activity_type text COLLATE "C" NOT NULL,
  endpoint text COLLATE "C" NOT NULL,
  method text COLLATE "C" NOT NULL,
  request_data text COLLATE "C",
  response_data text COLLATE "C",
  status_code bigint,
  user_agent text COLLATE "C",
  remote_ip text COLLATE "C",
  duration_ms bigint,
  created_at bigint NOT NULL
);
CREATE INDEX api_activity_newest_first ON api_activity (account_uuid, id);

-- Automations.

CREATE TABLE automation (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  active bigint NOT NULL CHECK (active IN (0, 1)),
  trigger_source text COLLATE "C" NOT NULL CHECK (trigger_source IN ('webhook', 'api_polling', 'manual_endpoint')),
  watched_object text COLLATE "C",
  version bigint NOT NULL,
  definition text COLLATE "C" NOT NULL,
  trigger_key_hash text COLLATE "C",
  trigger_key_sealed text COLLATE "C",
  next_run_at bigint,
  active_since bigint,
  baselined bigint NOT NULL CHECK (baselined IN (0, 1)),
  paused_reason text COLLATE "C",
  paused_at bigint,
  execution_count bigint NOT NULL,
  last_executed_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  deleted_at bigint,
  paused_reason_code text COLLATE "C",
  paused_reason_params text COLLATE "C" CHECK (json_valid(paused_reason_params))
);
CREATE INDEX automations_of_an_account ON automation (account_uuid, id) WHERE deleted_at IS NULL;
CREATE INDEX automations_watching_an_object ON automation (account_uuid, watched_object) WHERE active = 1 AND deleted_at IS NULL;
CREATE INDEX automations_due ON automation (next_run_at) WHERE active = 1 AND deleted_at IS NULL;
CREATE UNIQUE INDEX automation_by_trigger_key ON automation (trigger_key_hash);

CREATE TABLE automation_version (
  automation_id bigint NOT NULL REFERENCES automation (id) ON DELETE CASCADE,
  version bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  definition text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (automation_id, version)
);

CREATE TABLE automation_template (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  description text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL
    CHECK (category IN ('communication', 'job_management', 'reporting', 'workflow', 'integration')),
  is_public bigint NOT NULL CHECK (is_public IN (0, 1)),
  definition text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE TABLE template_use (
  template_id bigint PRIMARY KEY,
  count bigint NOT NULL
);

CREATE TABLE automation_guard (
  account_uuid text COLLATE "C" PRIMARY KEY REFERENCES account (uuid) ON DELETE CASCADE,
  guards text COLLATE "C" NOT NULL,
  updated_at bigint NOT NULL
);

CREATE TABLE mute (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('company', 'job')),
  record_uuid text COLLATE "C" NOT NULL,
  until_at bigint,
  created_at bigint NOT NULL
);
CREATE UNIQUE INDEX one_mute_per_record ON mute (account_uuid, kind, record_uuid);

CREATE TABLE trigger_call (
  automation_id bigint NOT NULL REFERENCES automation (id) ON DELETE CASCADE,
  key text COLLATE "C" NOT NULL,
  run_id bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (automation_id, key)
);

CREATE TABLE touched_record (
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  object text COLLATE "C" NOT NULL,
  record_uuid text COLLATE "C" NOT NULL,
  changed_fields text COLLATE "C" NOT NULL,
  created bigint NOT NULL CHECK (created IN (0, 1)),
  event_seq bigint,
  first_at bigint NOT NULL,
  due_at bigint NOT NULL,
  turn bigint NOT NULL,
  tries bigint NOT NULL,
  PRIMARY KEY (account_uuid, object, record_uuid)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX touched_records_due ON touched_record (due_at);

CREATE TABLE rule_verdict (
  automation_id bigint NOT NULL REFERENCES automation (id) ON DELETE CASCADE,
  record_uuid text COLLATE "C" NOT NULL,
  account_uuid text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  verdict text COLLATE "C" NOT NULL
    CHECK (verdict IN (
      'fired', 'not_matched', 'not_triggered', 'done_before', 'first_sight', 'own_change', 'held', 'muted'
    )),
  detail text COLLATE "C",
  run_id bigint,
  PRIMARY KEY (automation_id, record_uuid)
);
CREATE INDEX verdicts_on_a_record ON rule_verdict (account_uuid, record_uuid);
CREATE INDEX verdicts_to_forget ON rule_verdict (at);

CREATE TABLE seen_ledger (
  automation_id bigint NOT NULL REFERENCES automation (id) ON DELETE CASCADE,
  record_uuid text COLLATE "C" NOT NULL,
  occurrence text COLLATE "C" NOT NULL,
  run_id bigint,
  at bigint NOT NULL,
  expires_at bigint,
  PRIMARY KEY (automation_id, record_uuid, occurrence)
);
CREATE INDEX ledger_to_forget ON seen_ledger (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE run (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL REFERENCES account (uuid) ON DELETE CASCADE,
  automation_id bigint NOT NULL REFERENCES automation (id),
  version bigint NOT NULL,
  source text COLLATE "C" NOT NULL CHECK (source IN ('webhook', 'poll', 'manual', 'person')),
  occurrence text COLLATE "C",
  object text COLLATE "C" NOT NULL,
  record_uuid text COLLATE "C",
  record_uuids text COLLATE "C" NOT NULL,
  group_key text COLLATE "C",
  trigger_data text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('queued', 'running', 'waiting', 'held', 'done')),
  outcome text COLLATE "C" CHECK (outcome IN ('success', 'partial', 'failure', 'nothing', 'cancelled')),
  reason text COLLATE "C",
  wake_at bigint NOT NULL,
  lease_owner text COLLATE "C",
  lease_until bigint,
  replay_of bigint,
  hop bigint NOT NULL,
  created_at bigint NOT NULL,
  started_at bigint,
  ended_at bigint,
  reason_code text COLLATE "C",
  reason_params text COLLATE "C" CHECK (json_valid(reason_params))
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX runs_to_do ON run (wake_at) WHERE state IN ('queued', 'running', 'waiting');
CREATE INDEX runs_of_an_account_newest_first ON run (account_uuid, id);
CREATE INDEX runs_of_a_rule_newest_first ON run (automation_id, id);
CREATE INDEX runs_of_a_record ON run (account_uuid, record_uuid, id);

CREATE TABLE run_step (
  run_id bigint NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  step_id text COLLATE "C" NOT NULL,
  item_key text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  state text COLLATE "C" NOT NULL
    CHECK (state IN ('planned', 'sending', 'sent', 'failed', 'unknown', 'skipped', 'held')),
  attempt bigint NOT NULL,
  client_uuid text COLLATE "C" NOT NULL,
  effect text COLLATE "C" NOT NULL,
  result text COLLATE "C",
  error_class text COLLATE "C",
  sentence text COLLATE "C",
  next_attempt_at bigint,
  planned_at bigint NOT NULL,
  sending_at bigint,
  ended_at bigint,
  reason_code text COLLATE "C",
  reason_params text COLLATE "C" CHECK (json_valid(reason_params)),
  PRIMARY KEY (run_id, step_id, item_key)
);

CREATE TABLE own_write (
  account_uuid text COLLATE "C" NOT NULL,
  object text COLLATE "C" NOT NULL,
  record_uuid text COLLATE "C" NOT NULL,
  field text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  run_id bigint NOT NULL,
  automation_id bigint NOT NULL,
  hop bigint NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (account_uuid, object, record_uuid, field)
);
CREATE INDEX own_writes_to_forget ON own_write (at);

CREATE TABLE customer_message (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL,
  automation_id bigint NOT NULL,
  run_id bigint NOT NULL,
  channel text COLLATE "C" NOT NULL CHECK (channel IN ('sms', 'email')),
  receiver_hash text COLLATE "C" NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX messages_of_a_rule ON customer_message (automation_id, at);
CREATE INDEX messages_to_a_receiver ON customer_message (account_uuid, receiver_hash, at);

-- Billing.

CREATE TABLE plan (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (length(status) BETWEEN 1 AND 50),
  trial_started_at bigint NOT NULL,
  trial_ends_at bigint NOT NULL,
  current_period_start bigint,
  current_period_end bigint,
  cancel_at_period_end bigint NOT NULL CHECK (cancel_at_period_end IN (0, 1)),
  past_due_since bigint,
  customer_id text COLLATE "C",
  subscription_id text COLLATE "C",
  price_id text COLLATE "C",
  open_subscription_id text COLLATE "C",
  open_offer text COLLATE "C" CHECK (open_offer IN ('full', 'credit')),
  open_renewal_id text COLLATE "C",
  payment_attempt bigint NOT NULL,
  held_since bigint,
  hold_reason text COLLATE "C",
  last_synced_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE UNIQUE INDEX plan_account_uuid_unique ON plan (account_uuid);
CREATE UNIQUE INDEX plan_customer_id_unique ON plan (customer_id);

CREATE TABLE payment_event (
  id text COLLATE "C" PRIMARY KEY,
  type text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  received_at bigint NOT NULL,
  processed_at bigint,
  failures bigint NOT NULL,
  error text COLLATE "C"
);
CREATE INDEX payment_events_by_age ON payment_event (received_at);

CREATE TABLE renewal_payment (
  payment_id text COLLATE "C" PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('paid', 'applied', 'refunded')),
  amount bigint NOT NULL CHECK (amount >= 0),
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE TABLE usage_report (
  identifier text COLLATE "C" PRIMARY KEY,
  account_uuid text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  count bigint NOT NULL CHECK (count >= 0),
  sent_at bigint,
  failures bigint NOT NULL,
  created_at bigint NOT NULL
);
CREATE UNIQUE INDEX usage_report_of_a_day ON usage_report (account_uuid, day);
CREATE INDEX usage_reports_to_send ON usage_report (created_at) WHERE sent_at IS NULL;

-- Operations.

CREATE TABLE audit_entry (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  account_uuid text COLLATE "C",
  actor text COLLATE "C" NOT NULL CHECK (actor IN ('session', 'staff', 'platform', 'system', 'stranger')),
  staff_uuid text COLLATE "C",
  action text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('done', 'refused', 'failed')),
  ip text COLLATE "C",
  detail text COLLATE "C" NOT NULL
);
CREATE INDEX audit_of_an_account ON audit_entry (account_uuid, id);
CREATE INDEX audit_by_age ON audit_entry (at);

CREATE TABLE backup_run (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('backup', 'drill')),
  started_at bigint NOT NULL,
  ended_at bigint,
  outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('running', 'done', 'failed')),
  name text COLLATE "C" NOT NULL,
  database_bytes bigint NOT NULL,
  stored_bytes bigint NOT NULL,
  message text COLLATE "C" NOT NULL,
  detail text COLLATE "C" NOT NULL CHECK (json_valid(detail))
);
CREATE INDEX newest_of_a_kind ON backup_run (kind, id);

CREATE TABLE lease (
  name text COLLATE "C" PRIMARY KEY,
  owner text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL
);

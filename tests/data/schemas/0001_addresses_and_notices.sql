CREATE TABLE "__drizzle_migrations" (
	id SERIAL PRIMARY KEY,
	hash text NOT NULL,
	created_at numeric
);
CREATE TABLE `account` (
	`uuid` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`timezone` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
CREATE TABLE `account_load` (
	`account_uuid` text PRIMARY KEY NOT NULL,
	`pending_count` integer NOT NULL,
	`pending_bytes` integer NOT NULL
) STRICT;
CREATE TABLE `account_mapping` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`external_id` text NOT NULL,
	`account_uuid` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `account_mapping_external_id_unique` ON `account_mapping` (`external_id`);
CREATE TABLE `api_activity` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`activity_type` text NOT NULL,
	`endpoint` text NOT NULL,
	`method` text NOT NULL,
	`request_data` text,
	`response_data` text,
	`status_code` integer,
	`user_agent` text,
	`remote_ip` text,
	`duration_ms` integer,
	`created_at` integer NOT NULL
) STRICT;
CREATE INDEX `api_activity_newest_first` ON `api_activity` (`account_uuid`,`id`);
CREATE TABLE `attempt` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_id` integer NOT NULL,
	`account_uuid` text NOT NULL,
	`endpoint_id` integer NOT NULL,
	`url` text NOT NULL,
	`number` integer NOT NULL,
	`at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`dns_ms` integer,
	`connect_ms` integer,
	`tls_ms` integer,
	`first_byte_ms` integer,
	`outcome` text NOT NULL CHECK(`outcome` IN ('delivered', 'http_error', 'redirect', 'gone', 'rate_limited', 'timeout', 'refused', 'reset', 'dns', 'tls', 'blocked', 'protocol', 'internal', 'expired', 'stopped')),
	`status_code` integer,
	`sentence` text NOT NULL,
	`peer_ip` text,
	`response_body` text,
	`retry_after_ms` integer,
	FOREIGN KEY (`delivery_id`) REFERENCES `delivery`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `attempts_of_a_delivery` ON `attempt` (`delivery_id`,`number`);
CREATE TABLE `credential` (
	`account_uuid` text PRIMARY KEY NOT NULL,
	`access_token_sealed` text NOT NULL,
	`refresh_token_sealed` text NOT NULL,
	`expires_at` integer NOT NULL,
	`scope` text NOT NULL,
	`state` text NOT NULL CHECK(`state` IN ('connected', 'reconnect')),
	`state_reason` text,
	`generation` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `delivery` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_seq` integer NOT NULL,
	`endpoint_id` integer NOT NULL,
	`account_uuid` text NOT NULL,
	`object_uuid` text NOT NULL,
	`cause` text NOT NULL CHECK(`cause` IN ('live', 'replay', 'retry', 'test')),
	`cause_no` integer NOT NULL,
	`state` text NOT NULL CHECK(`state` IN ('pending', 'delivered', 'expired', 'stopped')),
	`state_reason` text,
	`due_at` integer NOT NULL,
	`deadline_at` integer NOT NULL,
	`attempts` integer NOT NULL,
	`steps` integer NOT NULL,
	`last_code` integer,
	`created_at` integer NOT NULL,
	`settled_at` integer,
	FOREIGN KEY (`event_seq`) REFERENCES `event`(`seq`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`endpoint_id`) REFERENCES `endpoint`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE UNIQUE INDEX `delivery_once_per_cause` ON `delivery` (`event_seq`,`endpoint_id`,`cause`,`cause_no`);
CREATE INDEX `due_deliveries_of_an_endpoint` ON `delivery` (`endpoint_id`,`due_at`,`id`) WHERE state = 'pending';
CREATE INDEX `due_again_of_an_endpoint` ON `delivery` (`endpoint_id`,`due_at`,`id`) WHERE state = 'pending' and cause <> 'live';
CREATE TABLE `endpoint` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`webhook_id` integer,
	`object_type` text NOT NULL,
	`field_filter` text NOT NULL,
	`url` text NOT NULL,
	`secret_sealed` text NOT NULL,
	`previous_secret_sealed` text,
	`previous_secret_until` integer,
	`state` text NOT NULL CHECK(`state` IN ('active', 'paused', 'stopped', 'failing', 'deleted')),
	`state_reason` text,
	`state_since` integer NOT NULL,
	`hold_until` integer,
	`hold_reason` text,
	`hold_since` integer,
	`breaker` text NOT NULL CHECK(`breaker` IN ('closed', 'open')),
	`breaker_probes` integer NOT NULL,
	`next_probe_at` integer,
	`failing_since` integer,
	`failure_streak` integer NOT NULL,
	`failure_events` text NOT NULL CHECK(json_valid(`failure_events`)),
	`redirect_streak` integer NOT NULL,
	`last_success_at` integer,
	`last_attempt_at` integer,
	`last_code` integer,
	`last_sentence` text,
	`pending_count` integer NOT NULL,
	`created_at` integer NOT NULL, `forwarding_rule_id` integer REFERENCES forwarding_rule(id),
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhook`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE INDEX `endpoints_of_an_object` ON `endpoint` (`account_uuid`,`object_type`);
CREATE UNIQUE INDEX `endpoint_of_a_webhook` ON `endpoint` (`webhook_id`);
CREATE TABLE `endpoint_hour` (
	`endpoint_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`events` integer NOT NULL,
	`delivered` integer NOT NULL,
	`failed` integer NOT NULL,
	`duration_sum_ms` integer NOT NULL,
	`duration_max_ms` integer NOT NULL,
	PRIMARY KEY(`endpoint_id`, `hour`)
) STRICT;
CREATE TABLE `event` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`account_uuid` text NOT NULL,
	`subscription_id` integer,
	`source` text NOT NULL CHECK(`source` IN ('object', 'event', 'signed', 'test')),
	`object` text NOT NULL,
	`object_uuid` text NOT NULL,
	`changed_fields` text NOT NULL CHECK(json_valid(`changed_fields`)),
	`received_at` integer NOT NULL,
	`dedupe` text NOT NULL
) STRICT;
CREATE UNIQUE INDEX `event_seen_before` ON `event` (`account_uuid`,`dedupe`);
CREATE INDEX `events_of_an_object_newest_first` ON `event` (`account_uuid`,`object`,`seq`);
CREATE INDEX `events_of_an_account_newest_first` ON `event` (`account_uuid`,`seq`);
CREATE TABLE `event_body` (
	`seq` integer PRIMARY KEY NOT NULL,
	`body` text NOT NULL,
	FOREIGN KEY (`seq`) REFERENCES `event`(`seq`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `lease` (
	`name` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
CREATE TABLE `placeholder_marker` (
	`external_id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
CREATE TABLE `replay` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`endpoint_id` integer NOT NULL,
	`since` integer NOT NULL,
	`status` text NOT NULL CHECK(`status` IN ('all', 'failed')),
	`object_uuid` text,
	`state` text NOT NULL CHECK(`state` IN ('running', 'done', 'cancelled')),
	`next_seq` integer NOT NULL,
	`until_seq` integer NOT NULL,
	`total` integer NOT NULL,
	`made` integer NOT NULL,
	`delivered` integer NOT NULL,
	`undelivered` integer NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`endpoint_id`) REFERENCES `endpoint`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE INDEX `running_replays` ON `replay` (`id`) WHERE state = 'running';
CREATE INDEX `replays_of_an_endpoint` ON `replay` (`endpoint_id`,`id`);
CREATE TABLE `session` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
CREATE TABLE `session_account` (
	`token_hash` text NOT NULL,
	`account_uuid` text NOT NULL,
	`staff_uuid` text,
	`proof` text NOT NULL CHECK(`proof` IN ('oauth', 'launch')),
	`proved_at` integer NOT NULL,
	PRIMARY KEY(`token_hash`, `account_uuid`),
	FOREIGN KEY (`token_hash`) REFERENCES `session`(`token_hash`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `sign_in_attempt` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`external_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
) STRICT;
CREATE TABLE `subscription` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`object` text NOT NULL,
	`fields` text NOT NULL,
	`token_hash` text NOT NULL,
	`token_sealed` text NOT NULL,
	`platform_uuid` text,
	`state` text NOT NULL CHECK(`state` IN ('pending', 'active', 'replaced', 'deleted')),
	`state_reason` text,
	`ends_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `subscription_by_token` ON `subscription` (`token_hash`);
CREATE UNIQUE INDEX `one_active_subscription_per_object` ON `subscription` (`account_uuid`,`object`) WHERE state = 'active';
CREATE TABLE `ticket` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL CHECK(`kind` IN ('launch', 'link', 'jwt')),
	`account_uuid` text NOT NULL,
	`staff_uuid` text,
	`expires_at` integer NOT NULL,
	`used_at` integer
) STRICT;
CREATE TABLE `usage_day` (
	`account_uuid` text NOT NULL,
	`day` integer NOT NULL,
	`kind` text NOT NULL CHECK(`kind` IN ('api_call', 'webhook_received', 'webhook_forwarded', 'duplicate')),
	`count` integer NOT NULL,
	PRIMARY KEY(`account_uuid`, `day`, `kind`)
) STRICT;
CREATE TABLE `webhook` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`object_type` text NOT NULL,
	`fields` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `one_webhook_per_object` ON `webhook` (`account_uuid`,`object_type`) WHERE deleted_at is null;
CREATE TABLE `account_setting` (
	`account_uuid` text PRIMARY KEY NOT NULL,
	`notices_by_mail` integer NOT NULL CHECK (`notices_by_mail` IN (0, 1)),
	`notice_email` text,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `endpoint_check` (
	`endpoint_id` integer PRIMARY KEY NOT NULL,
	`account_uuid` text NOT NULL,
	`url` text NOT NULL,
	`at` integer NOT NULL,
	`steps` text NOT NULL,
	FOREIGN KEY (`endpoint_id`) REFERENCES `endpoint`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `endpoint_notice` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`endpoint_id` integer NOT NULL,
	`kind` text NOT NULL CHECK (`kind` IN ('failing', 'stopped', 'recovered')),
	`since` integer NOT NULL,
	`sentence` text NOT NULL,
	`at` integer NOT NULL,
	`mail_state` text NOT NULL CHECK (`mail_state` IN ('none', 'pending', 'sent', 'failed')),
	`mail_sentence` text,
	`mail_tries` integer NOT NULL,
	`mail_due_at` integer,
	`dismissed_at` integer,
	FOREIGN KEY (`endpoint_id`) REFERENCES `endpoint`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `notice_once_per_change` ON `endpoint_notice` (`endpoint_id`,`kind`,`since`);
CREATE INDEX `notices_of_an_account_newest_first` ON `endpoint_notice` (`account_uuid`,`id`);
CREATE INDEX `notice_mails_due` ON `endpoint_notice` (`mail_due_at`) WHERE mail_state = 'pending';
CREATE TABLE `forwarding_rule` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`name` text NOT NULL,
	`object_type` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `forwarding_rules_of_an_account` ON `forwarding_rule` (`account_uuid`,`id`) WHERE deleted_at is null;
CREATE TABLE `poll_cursor` (
	`account_uuid` text NOT NULL,
	`source` text NOT NULL,
	`watermark` text NOT NULL,
	`last_ok_at` integer,
	`last_error` text,
	`next_at` integer NOT NULL,
	PRIMARY KEY(`account_uuid`, `source`),
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `record_snapshot` (
	`account_uuid` text NOT NULL,
	`object` text NOT NULL,
	`record_uuid` text NOT NULL,
	`edit_date` text NOT NULL,
	`fields` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`account_uuid`, `object`, `record_uuid`),
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `endpoint_of_a_forwarding_rule` ON `endpoint` (`forwarding_rule_id`);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '8aed659dde18cbe49fc4a5be21fbd791e1c3d19ba7319e2f21222fff5a1052fc', 1795280478179);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'e1cab4dbdc9f1d69c2bd64d272fd068d9488e5ffb548d2243f322fbead6f946a', 1795291396702);
INSERT INTO "account" ("uuid", "name", "timezone", "created_at", "updated_at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'Leeds Boilers', 'Europe/London', 1795100000000, 1795100000000);
INSERT INTO "account" ("uuid", "name", "timezone", "created_at", "updated_at") VALUES ('5b7f8a10-2c44-4f5d-8e0b-91b7a2d4c902', 'Bondi Plumbing', 'Australia/Sydney', 1795186400000, 1795186400000);
INSERT INTO "account_load" ("account_uuid", "pending_count", "pending_bytes") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 228);
INSERT INTO "account_mapping" ("id", "external_id", "account_uuid", "created_at") VALUES (1, 'leeds-boilers', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1795100000000);
INSERT INTO "account_setting" ("account_uuid", "notices_by_mail", "notice_email", "updated_at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'office@leeds-boilers.example', 1795100000000);
INSERT INTO "api_activity" ("id", "account_uuid", "activity_type", "endpoint", "method", "request_data", "response_data", "status_code", "user_agent", "remote_ip", "duration_ms", "created_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'Webhook Subscription', '/webhook_subscriptions/object', 'POST', '{"object":"job"}', '{"success":true}', 200, NULL, NULL, 80, 1795100000000);
INSERT INTO "attempt" ("id", "delivery_id", "account_uuid", "endpoint_id", "url", "number", "at", "duration_ms", "dns_ms", "connect_ms", "tls_ms", "first_byte_ms", "outcome", "status_code", "sentence", "peer_ip", "response_body", "retry_after_ms") VALUES (1, 1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'http://127.0.0.1:9/jobs', 1, 1795103600000, 120, 1, 2, NULL, 100, 'http_error', 500, 'Your system answered 500.', '127.0.0.1', 'oops', NULL);
INSERT INTO "attempt" ("id", "delivery_id", "account_uuid", "endpoint_id", "url", "number", "at", "duration_ms", "dns_ms", "connect_ms", "tls_ms", "first_byte_ms", "outcome", "status_code", "sentence", "peer_ip", "response_body", "retry_after_ms") VALUES (2, 1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'http://127.0.0.1:9/jobs', 2, 1795107200000, 120, 1, 2, NULL, 100, 'delivered', 200, 'Delivered.', '127.0.0.1', 'ok', NULL);
INSERT INTO "credential" ("account_uuid", "access_token_sealed", "refresh_token_sealed", "expires_at", "scope", "state", "state_reason", "generation", "created_at", "updated_at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'v1.k1.4wQMnexSLaln3klL.ij-Rh9-9jYJf8xWttpV1j4Tb.4Zti1KVxaqA81T2i67p8Dw', 'v1.k1.YZsZvZcSoq4nrzhh.8UaJMUnmesJOxM74FqNOkfklgw.Zi7f4DMY9k72tbKYLLi6Aw', 1795103600000, 'vendor read_jobs', 'connected', NULL, 3, 1795100000000, 1795100000000);
INSERT INTO "delivery" ("id", "event_seq", "endpoint_id", "account_uuid", "object_uuid", "cause", "cause_no", "state", "state_reason", "due_at", "deadline_at", "attempts", "steps", "last_code", "created_at", "settled_at") VALUES (1, 1, 1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', '11111111-0000-4000-8000-000000000001', 'live', 0, 'delivered', NULL, 1795103600000, 1795362800000, 2, 1, 200, 1795103600000, 1795107200000);
INSERT INTO "delivery" ("id", "event_seq", "endpoint_id", "account_uuid", "object_uuid", "cause", "cause_no", "state", "state_reason", "due_at", "deadline_at", "attempts", "steps", "last_code", "created_at", "settled_at") VALUES (2, 2, 2, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', '22222222-0000-4000-8000-000000000001', 'live', 0, 'pending', NULL, 1795107200000, 2110460000000, 0, 0, NULL, 1795107200000, NULL);
INSERT INTO "delivery" ("id", "event_seq", "endpoint_id", "account_uuid", "object_uuid", "cause", "cause_no", "state", "state_reason", "due_at", "deadline_at", "attempts", "steps", "last_code", "created_at", "settled_at") VALUES (3, 3, 1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', '11111111-0000-4000-8000-000000000002', 'live', 0, 'expired', 'It did not work for 72 hours.', 1795110800000, 1795370000000, 12, 12, 500, 1795110800000, 1795370000000);
INSERT INTO "endpoint" ("id", "account_uuid", "webhook_id", "object_type", "field_filter", "url", "secret_sealed", "previous_secret_sealed", "previous_secret_until", "state", "state_reason", "state_since", "hold_until", "hold_reason", "hold_since", "breaker", "breaker_probes", "next_probe_at", "failing_since", "failure_streak", "failure_events", "redirect_streak", "last_success_at", "last_attempt_at", "last_code", "last_sentence", "pending_count", "created_at", "forwarding_rule_id") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'job', '', 'http://127.0.0.1:9/jobs', 'v1.k1.3tNdC9DH-qghwGW-.ZUqVokfiztg7dQA_yLc.AGy0L-VnN42fcR9IW4TqvQ', 'v1.k1.Rbv-lI7pORVRTlpf.tlDo9fyjkz63BBBAF8A.GPOYsSaInQl6xB698Agy8A', 1795186400000, 'active', NULL, 1795100000000, NULL, NULL, NULL, 'closed', 0, NULL, NULL, 0, '[]', 0, 1795107200000, 1795107200000, 200, 'Delivered.', 0, 1795100000000, NULL);
INSERT INTO "endpoint" ("id", "account_uuid", "webhook_id", "object_type", "field_filter", "url", "secret_sealed", "previous_secret_sealed", "previous_secret_until", "state", "state_reason", "state_since", "hold_until", "hold_reason", "hold_since", "breaker", "breaker_probes", "next_probe_at", "failing_since", "failure_streak", "failure_events", "redirect_streak", "last_success_at", "last_attempt_at", "last_code", "last_sentence", "pending_count", "created_at", "forwarding_rule_id") VALUES (2, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 2, 'company', '', 'http://127.0.0.1:9/companies', 'v1.k1.NqkN6NUsGGXCDSEh.7oNVSZB5bO_xlvy8zBM.kEFlcMO5-cfBFf0Kdt_SpA', NULL, NULL, 'paused', NULL, 1795103600000, NULL, NULL, NULL, 'closed', 0, NULL, NULL, 1, '[2]', 0, NULL, NULL, NULL, NULL, 1, 1795100000000, NULL);
INSERT INTO "endpoint" ("id", "account_uuid", "webhook_id", "object_type", "field_filter", "url", "secret_sealed", "previous_secret_sealed", "previous_secret_until", "state", "state_reason", "state_since", "hold_until", "hold_reason", "hold_since", "breaker", "breaker_probes", "next_probe_at", "failing_since", "failure_streak", "failure_events", "redirect_streak", "last_success_at", "last_attempt_at", "last_code", "last_sentence", "pending_count", "created_at", "forwarding_rule_id") VALUES (3, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', NULL, 'job', '', 'http://127.0.0.1:9/books', 'v1.k1.SyjKIKfvrsrHAEp9.r0lf1xZex4vqkXq723k.gRQKARrXgo2HR7CnYI9rww', NULL, NULL, 'active', NULL, 1795100000000, NULL, NULL, NULL, 'closed', 0, NULL, NULL, 0, '[]', 0, NULL, NULL, NULL, NULL, 0, 1795100000000, 1);
INSERT INTO "endpoint_check" ("endpoint_id", "account_uuid", "url", "at", "steps") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'http://127.0.0.1:9/jobs', 1795103600000, '[]');
INSERT INTO "endpoint_hour" ("endpoint_id", "hour", "events", "delivered", "failed", "duration_sum_ms", "duration_max_ms") VALUES (1, 498639, 2, 1, 1, 240, 120);
INSERT INTO "endpoint_notice" ("id", "account_uuid", "endpoint_id", "kind", "since", "sentence", "at", "mail_state", "mail_sentence", "mail_tries", "mail_due_at", "dismissed_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'failing', 1795103600000, 'Your system has not accepted an event for an hour.', 1795107200000, 'none', NULL, 0, NULL, NULL);
INSERT INTO "event" ("seq", "id", "account_uuid", "subscription_id", "source", "object", "object_uuid", "changed_fields", "received_at", "dedupe") VALUES (1, '019300000001-0000-7000-8000-000000000001', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'object', 'job', '11111111-0000-4000-8000-000000000001', '["status"]', 1795103600000, '0000000000000000000000000000000000000000000000000000000000000001');
INSERT INTO "event" ("seq", "id", "account_uuid", "subscription_id", "source", "object", "object_uuid", "changed_fields", "received_at", "dedupe") VALUES (2, '019300000002-0000-7000-8000-000000000002', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'object', 'company', '22222222-0000-4000-8000-000000000001', '["status"]', 1795107200000, '0000000000000000000000000000000000000000000000000000000000000002');
INSERT INTO "event" ("seq", "id", "account_uuid", "subscription_id", "source", "object", "object_uuid", "changed_fields", "received_at", "dedupe") VALUES (3, '019300000003-0000-7000-8000-000000000003', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'object', 'job', '11111111-0000-4000-8000-000000000002', '["status"]', 1795110800000, '0000000000000000000000000000000000000000000000000000000000000003');
INSERT INTO "event_body" ("seq", "body") VALUES (1, '{"object":"job","entry":[{"uuid":"11111111-0000-4000-8000-000000000001","changed_fields":["status"],"time":"2026-11-19 09:00:00"}],"resource_url":"https://api.servicem8.com/api_1.0/job/11111111-0000-4000-8000-000000000001.json"}');
INSERT INTO "event_body" ("seq", "body") VALUES (2, '{"object":"job","entry":[{"uuid":"22222222-0000-4000-8000-000000000001","changed_fields":["status"],"time":"2026-11-19 09:00:00"}],"resource_url":"https://api.servicem8.com/api_1.0/job/22222222-0000-4000-8000-000000000001.json"}');
INSERT INTO "forwarding_rule" ("id", "account_uuid", "name", "object_type", "created_at", "updated_at", "deleted_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'Bookkeeping', 'job', 1795100000000, 1795100000000, NULL);
INSERT INTO "lease" ("name", "owner", "expires_at") VALUES ('deliveries', 'gone', 1795186400000);
INSERT INTO "placeholder_marker" ("external_id", "created_at", "expires_at") VALUES ('visitor-1', 1795100000000, 1795186400000);
INSERT INTO "poll_cursor" ("account_uuid", "source", "watermark", "last_ok_at", "last_error", "next_at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'webhook:jobcontact', '2026-11-19 09:00:00', 1795100000000, NULL, 2110460000000);
INSERT INTO "record_snapshot" ("account_uuid", "object", "record_uuid", "edit_date", "fields", "first_seen_at", "updated_at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'job', '11111111-0000-4000-8000-000000000001', '2026-11-19 09:00:00', '{"status":"Work Order"}', 1795100000000, 1795100000000);
INSERT INTO "replay" ("id", "account_uuid", "endpoint_id", "since", "status", "object_uuid", "state", "next_seq", "until_seq", "total", "made", "delivered", "undelivered", "created_at", "ended_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 1795100000000, 'all', NULL, 'done', 4, 3, 1, 1, 1, 0, 1795186400000, 1795186460000);
INSERT INTO "session" ("token_hash", "created_at", "last_seen_at", "expires_at") VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 1795100000000, 1795103600000, 2110460000000);
INSERT INTO "session_account" ("token_hash", "account_uuid", "staff_uuid", "proof", "proved_at") VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', '33333333-0000-4000-8000-000000000001', 'oauth', 1795100000000);
INSERT INTO "sign_in_attempt" ("state_hash", "external_id", "created_at", "expires_at", "used_at") VALUES ('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'leeds-boilers', 1795100000000, 1795100600000, 1795100060000);
INSERT INTO "subscription" ("id", "account_uuid", "object", "fields", "token_hash", "token_sealed", "platform_uuid", "state", "state_reason", "ends_at", "created_at", "updated_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'job', 'job_address,status', 'dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 'v1.k1.zGukaSrS3k3HKtH7.Awg6xhn4M6PaIWNyXKtheb4EsD40eoC7n0NZonTt8sKM.DpcDqaQCFwhhodu1xAP2og', '44444444-0000-4000-8000-000000000001', 'active', NULL, NULL, 1795100000000, 1795100000000);
INSERT INTO "subscription" ("id", "account_uuid", "object", "fields", "token_hash", "token_sealed", "platform_uuid", "state", "state_reason", "ends_at", "created_at", "updated_at") VALUES (2, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'note', 'note', 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', 'v1.k1._nEdar7ctFqD982y.0eBqsMNkTX9y1Bouta0I5WPh2Cqbg-iIvS2KnLFVvVnVGg.rDOBLjoXpYNihr-RCkretg', NULL, 'deleted', NULL, NULL, 1795100000000, 1795186400000);
INSERT INTO "ticket" ("token_hash", "kind", "account_uuid", "staff_uuid", "expires_at", "used_at") VALUES ('cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 'link', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', NULL, 1795100600000, NULL);
INSERT INTO "usage_day" ("account_uuid", "day", "kind", "count") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 20776, 'webhook_received', 3);
INSERT INTO "usage_day" ("account_uuid", "day", "kind", "count") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 20776, 'webhook_forwarded', 1);
INSERT INTO "webhook" ("id", "account_uuid", "object_type", "fields", "created_at", "updated_at", "deleted_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'job', '', 1795100000000, 1795100000000, NULL);
INSERT INTO "webhook" ("id", "account_uuid", "object_type", "fields", "created_at", "updated_at", "deleted_at") VALUES (2, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'company', 'name', 1795100000000, 1795100000000, NULL);

CREATE TABLE `account` (
	`uuid` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`timezone` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `account_load` (
	`account_uuid` text PRIMARY KEY NOT NULL,
	`pending_count` integer NOT NULL,
	`pending_bytes` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `account_mapping` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`external_id` text NOT NULL,
	`account_uuid` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `account_mapping_external_id_unique` ON `account_mapping` (`external_id`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `api_activity_newest_first` ON `api_activity` (`account_uuid`,`id`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `attempts_of_a_delivery` ON `attempt` (`delivery_id`,`number`);--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
CREATE UNIQUE INDEX `delivery_once_per_cause` ON `delivery` (`event_seq`,`endpoint_id`,`cause`,`cause_no`);--> statement-breakpoint
CREATE INDEX `due_deliveries_of_an_endpoint` ON `delivery` (`endpoint_id`,`due_at`,`id`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `due_again_of_an_endpoint` ON `delivery` (`endpoint_id`,`due_at`,`id`) WHERE state = 'pending' and cause <> 'live';--> statement-breakpoint
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
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhook`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `endpoints_of_an_object` ON `endpoint` (`account_uuid`,`object_type`);--> statement-breakpoint
CREATE UNIQUE INDEX `endpoint_of_a_webhook` ON `endpoint` (`webhook_id`);--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
CREATE UNIQUE INDEX `event_seen_before` ON `event` (`account_uuid`,`dedupe`);--> statement-breakpoint
CREATE INDEX `events_of_an_object_newest_first` ON `event` (`account_uuid`,`object`,`seq`);--> statement-breakpoint
CREATE INDEX `events_of_an_account_newest_first` ON `event` (`account_uuid`,`seq`);--> statement-breakpoint
CREATE TABLE `event_body` (
	`seq` integer PRIMARY KEY NOT NULL,
	`body` text NOT NULL,
	FOREIGN KEY (`seq`) REFERENCES `event`(`seq`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `lease` (
	`name` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `placeholder_marker` (
	`external_id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `running_replays` ON `replay` (`id`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `replays_of_an_endpoint` ON `replay` (`endpoint_id`,`id`);--> statement-breakpoint
CREATE TABLE `session` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE `sign_in_attempt` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`external_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
) STRICT;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE UNIQUE INDEX `subscription_by_token` ON `subscription` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `one_active_subscription_per_object` ON `subscription` (`account_uuid`,`object`) WHERE state = 'active';--> statement-breakpoint
CREATE TABLE `ticket` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL CHECK(`kind` IN ('launch', 'link', 'jwt')),
	`account_uuid` text NOT NULL,
	`staff_uuid` text,
	`expires_at` integer NOT NULL,
	`used_at` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `usage_day` (
	`account_uuid` text NOT NULL,
	`day` integer NOT NULL,
	`kind` text NOT NULL CHECK(`kind` IN ('api_call', 'webhook_received', 'webhook_forwarded', 'duplicate')),
	`count` integer NOT NULL,
	PRIMARY KEY(`account_uuid`, `day`, `kind`)
) STRICT;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE UNIQUE INDEX `one_webhook_per_object` ON `webhook` (`account_uuid`,`object_type`) WHERE deleted_at is null;
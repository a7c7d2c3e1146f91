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
, `repeats_told` integer DEFAULT 1 NOT NULL CHECK(`repeats_told` IN (0, 1)), `email` text) STRICT;
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
	`updated_at` integer NOT NULL, `mails_off` text, `weekly_line` integer DEFAULT 0 NOT NULL CHECK(`weekly_line` IN (0, 1)), `holidays_off` integer DEFAULT 1 NOT NULL CHECK(`holidays_off` IN (0, 1)), `closed_days` text CHECK(json_valid(`closed_days`)),
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
CREATE TABLE `automation` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`name` text NOT NULL,
	`active` integer NOT NULL CHECK(`active` IN (0, 1)),
	`trigger_source` text NOT NULL CHECK(`trigger_source` IN ('webhook', 'api_polling', 'manual_endpoint')),
	`watched_object` text,
	`version` integer NOT NULL,
	`definition` text NOT NULL,
	`trigger_key_hash` text,
	`trigger_key_sealed` text,
	`next_run_at` integer,
	`active_since` integer,
	`baselined` integer NOT NULL CHECK(`baselined` IN (0, 1)),
	`paused_reason` text,
	`paused_at` integer,
	`execution_count` integer NOT NULL,
	`last_executed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer, `paused_reason_code` text, `paused_reason_params` text CHECK(json_valid(`paused_reason_params`)), `at_once` integer DEFAULT 0 NOT NULL CHECK(`at_once` IN (0, 1)),
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `automations_of_an_account` ON `automation` (`account_uuid`,`id`) WHERE deleted_at is null;
CREATE INDEX `automations_watching_an_object` ON `automation` (`account_uuid`,`watched_object`) WHERE active = 1 and deleted_at is null;
CREATE INDEX `automations_due` ON `automation` (`next_run_at`) WHERE active = 1 and deleted_at is null;
CREATE UNIQUE INDEX `automation_by_trigger_key` ON `automation` (`trigger_key_hash`);
CREATE TABLE `automation_guard` (
	`account_uuid` text PRIMARY KEY NOT NULL,
	`guards` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `automation_template` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`category` text NOT NULL CHECK(`category` IN ('communication', 'job_management', 'reporting', 'workflow', 'integration')),
	`is_public` integer NOT NULL CHECK(`is_public` IN (0, 1)),
	`definition` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
CREATE TABLE `automation_version` (
	`automation_id` integer NOT NULL,
	`version` integer NOT NULL,
	`name` text NOT NULL,
	`definition` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`automation_id`, `version`),
	FOREIGN KEY (`automation_id`) REFERENCES `automation`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `customer_message` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`automation_id` integer NOT NULL,
	`run_id` integer NOT NULL,
	`channel` text NOT NULL CHECK(`channel` IN ('sms', 'email')),
	`receiver_hash` text NOT NULL,
	`at` integer NOT NULL
) STRICT;
CREATE INDEX `messages_of_a_rule` ON `customer_message` (`automation_id`,`at`);
CREATE INDEX `messages_to_a_receiver` ON `customer_message` (`account_uuid`,`receiver_hash`,`at`);
CREATE TABLE `mute` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`kind` text NOT NULL CHECK(`kind` IN ('company', 'job')),
	`record_uuid` text NOT NULL,
	`until_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `one_mute_per_record` ON `mute` (`account_uuid`,`kind`,`record_uuid`);
CREATE TABLE `own_write` (
	`account_uuid` text NOT NULL,
	`object` text NOT NULL,
	`record_uuid` text NOT NULL,
	`field` text NOT NULL,
	`value` text NOT NULL,
	`run_id` integer NOT NULL,
	`automation_id` integer NOT NULL,
	`hop` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`account_uuid`, `object`, `record_uuid`, `field`)
) STRICT;
CREATE INDEX `own_writes_to_forget` ON `own_write` (`at`);
CREATE TABLE `rule_verdict` (
	`automation_id` integer NOT NULL,
	`record_uuid` text NOT NULL,
	`account_uuid` text NOT NULL,
	`at` integer NOT NULL,
	`verdict` text NOT NULL CHECK(`verdict` IN ('fired', 'not_matched', 'not_triggered', 'done_before', 'first_sight', 'own_change', 'held', 'muted')),
	`detail` text,
	`run_id` integer,
	PRIMARY KEY(`automation_id`, `record_uuid`),
	FOREIGN KEY (`automation_id`) REFERENCES `automation`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `verdicts_on_a_record` ON `rule_verdict` (`account_uuid`,`record_uuid`);
CREATE INDEX `verdicts_to_forget` ON `rule_verdict` (`at`);
CREATE TABLE `run` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`automation_id` integer NOT NULL,
	`version` integer NOT NULL,
	`source` text NOT NULL CHECK(`source` IN ('webhook', 'poll', 'manual', 'person')),
	`occurrence` text,
	`object` text NOT NULL,
	`record_uuid` text,
	`record_uuids` text NOT NULL,
	`group_key` text,
	`trigger_data` text NOT NULL,
	`state` text NOT NULL CHECK(`state` IN ('queued', 'running', 'waiting', 'held', 'done')),
	`outcome` text CHECK(`outcome` IN ('success', 'partial', 'failure', 'nothing', 'cancelled')),
	`reason` text,
	`wake_at` integer NOT NULL,
	`lease_owner` text,
	`lease_until` integer,
	`replay_of` integer,
	`hop` integer NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer, `reason_code` text, `reason_params` text CHECK(json_valid(`reason_params`)),
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`automation_id`) REFERENCES `automation`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE INDEX `runs_to_do` ON `run` (`wake_at`) WHERE state in ('queued', 'running', 'waiting');
CREATE INDEX `runs_of_an_account_newest_first` ON `run` (`account_uuid`,`id`);
CREATE INDEX `runs_of_a_rule_newest_first` ON `run` (`automation_id`,`id`);
CREATE INDEX `runs_of_a_record` ON `run` (`account_uuid`,`record_uuid`,`id`);
CREATE TABLE `run_step` (
	`run_id` integer NOT NULL,
	`step_id` text NOT NULL,
	`item_key` text NOT NULL,
	`seq` integer NOT NULL,
	`state` text NOT NULL CHECK(`state` IN ('planned', 'sending', 'sent', 'failed', 'unknown', 'skipped', 'held')),
	`attempt` integer NOT NULL,
	`client_uuid` text NOT NULL,
	`effect` text NOT NULL,
	`result` text,
	`error_class` text,
	`sentence` text,
	`next_attempt_at` integer,
	`planned_at` integer NOT NULL,
	`sending_at` integer,
	`ended_at` integer, `reason_code` text, `reason_params` text CHECK(json_valid(`reason_params`)),
	PRIMARY KEY(`run_id`, `step_id`, `item_key`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `seen_ledger` (
	`automation_id` integer NOT NULL,
	`record_uuid` text NOT NULL,
	`occurrence` text NOT NULL,
	`run_id` integer,
	`at` integer NOT NULL,
	`expires_at` integer,
	PRIMARY KEY(`automation_id`, `record_uuid`, `occurrence`),
	FOREIGN KEY (`automation_id`) REFERENCES `automation`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `ledger_to_forget` ON `seen_ledger` (`expires_at`) WHERE expires_at is not null;
CREATE TABLE `template_use` (
	`template_id` integer PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
) STRICT;
CREATE TABLE `touched_record` (
	`account_uuid` text NOT NULL,
	`object` text NOT NULL,
	`record_uuid` text NOT NULL,
	`changed_fields` text NOT NULL,
	`created` integer NOT NULL CHECK(`created` IN (0, 1)),
	`event_seq` integer,
	`first_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`turn` integer NOT NULL,
	`tries` integer NOT NULL,
	PRIMARY KEY(`account_uuid`, `object`, `record_uuid`),
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `touched_records_due` ON `touched_record` (`due_at`);
CREATE TABLE `trigger_call` (
	`automation_id` integer NOT NULL,
	`key` text NOT NULL,
	`run_id` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`automation_id`, `key`),
	FOREIGN KEY (`automation_id`) REFERENCES `automation`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `payment_event` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`created_at` integer NOT NULL,
	`received_at` integer NOT NULL,
	`processed_at` integer,
	`failures` integer NOT NULL,
	`error` text
) STRICT;
CREATE INDEX `payment_events_by_age` ON `payment_event` (`received_at`);
CREATE TABLE `plan` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`status` text NOT NULL CHECK(length(`status`) BETWEEN 1 AND 50),
	`trial_started_at` integer NOT NULL,
	`trial_ends_at` integer NOT NULL,
	`current_period_start` integer,
	`current_period_end` integer,
	`cancel_at_period_end` integer NOT NULL CHECK(`cancel_at_period_end` IN (0, 1)),
	`past_due_since` integer,
	`customer_id` text,
	`subscription_id` text,
	`price_id` text,
	`open_subscription_id` text,
	`open_offer` text CHECK(`open_offer` IN ('full', 'credit')),
	`open_renewal_id` text,
	`payment_attempt` integer NOT NULL,
	`held_since` integer,
	`hold_reason` text,
	`last_synced_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
CREATE UNIQUE INDEX `plan_account_uuid_unique` ON `plan` (`account_uuid`);
CREATE UNIQUE INDEX `plan_customer_id_unique` ON `plan` (`customer_id`);
CREATE TABLE `renewal_payment` (
	`payment_id` text PRIMARY KEY NOT NULL,
	`account_uuid` text NOT NULL,
	`state` text NOT NULL CHECK(`state` IN ('paid', 'applied', 'refunded')),
	`amount` integer NOT NULL CHECK(`amount` >= 0),
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
CREATE TABLE `usage_report` (
	`identifier` text PRIMARY KEY NOT NULL,
	`account_uuid` text NOT NULL,
	`day` integer NOT NULL,
	`count` integer NOT NULL CHECK(`count` >= 0),
	`sent_at` integer,
	`failures` integer NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
CREATE UNIQUE INDEX `usage_report_of_a_day` ON `usage_report` (`account_uuid`,`day`);
CREATE INDEX `usage_reports_to_send` ON `usage_report` (`created_at`) WHERE sent_at is null;
CREATE TABLE `account_key` (
	`account_uuid` text PRIMARY KEY NOT NULL,
	`sealed_with` text NOT NULL,
	`key_sealed` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
CREATE TABLE `audit_entry` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`account_uuid` text,
	`actor` text NOT NULL CHECK(`actor` IN ('session', 'staff', 'platform', 'system', 'stranger')),
	`staff_uuid` text,
	`action` text NOT NULL,
	`target` text NOT NULL,
	`outcome` text NOT NULL CHECK(`outcome` IN ('done', 'refused', 'failed')),
	`ip` text,
	`detail` text NOT NULL
) STRICT;
CREATE INDEX `audit_of_an_account` ON `audit_entry` (`account_uuid`,`id`);
CREATE INDEX `audit_by_age` ON `audit_entry` (`at`);
CREATE TABLE `backup_run` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL CHECK(`kind` IN ('backup', 'drill')),
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`outcome` text NOT NULL CHECK(`outcome` IN ('running', 'done', 'failed')),
	`name` text NOT NULL,
	`database_bytes` integer NOT NULL,
	`stored_bytes` integer NOT NULL,
	`message` text NOT NULL,
	`detail` text NOT NULL CHECK(json_valid(`detail`))
) STRICT;
CREATE INDEX `newest_of_a_kind` ON `backup_run` (`kind`,`id`);
CREATE TABLE "usage_day" (
	`account_uuid` text NOT NULL,
	`day` integer NOT NULL,
	`kind` text NOT NULL CHECK(`kind` IN ('api_call', 'free_call', 'webhook_received', 'webhook_forwarded', 'duplicate')),
	`count` integer NOT NULL,
	PRIMARY KEY(`account_uuid`, `day`, `kind`)
) STRICT;
CREATE TABLE `account_person` (
	`account_uuid` text NOT NULL,
	`staff_uuid` text NOT NULL,
	`role` text NOT NULL CHECK(`role` IN ('owner', 'member')),
	`since` integer NOT NULL,
	PRIMARY KEY(`account_uuid`, `staff_uuid`),
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `form_draft` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`token_hash` text NOT NULL,
	`form_sealed` text NOT NULL,
	`weight` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `form_draft_by_token` ON `form_draft` (`token_hash`);
CREATE INDEX `form_drafts_of_an_account` ON `form_draft` (`account_uuid`);
CREATE TABLE `notice` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`subject_kind` text NOT NULL CHECK(`subject_kind` IN ('endpoint', 'rule', 'account')),
	`subject_id` integer NOT NULL,
	`kind` text NOT NULL CHECK(`kind` IN ('failing', 'stopped', 'recovered', 'waiting', 'silent', 'reconnect', 'suspended', 'permission', 'plan', 'upstream', 'weekly')),
	`fingerprint` text NOT NULL,
	`since` integer NOT NULL,
	`last_at` integer NOT NULL,
	`count` integer NOT NULL,
	`sentence` text,
	`reason_code` text,
	`reason_params` text CHECK(json_valid(`reason_params`)),
	`run_id` integer,
	`at` integer NOT NULL,
	`ended_at` integer,
	`mail_state` text NOT NULL CHECK(`mail_state` IN ('none', 'pending', 'sent', 'failed')),
	`mail_sentence` text,
	`mail_reason_code` text,
	`mail_reason_params` text CHECK(json_valid(`mail_reason_params`)),
	`mail_tries` integer NOT NULL,
	`mail_due_at` integer,
	`told_at` integer,
	`told_count` integer NOT NULL,
	`dismissed_at` integer,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `notice_once_per_change` ON `notice` (`account_uuid`,`subject_kind`,`subject_id`,`fingerprint`,`since`);
CREATE UNIQUE INDEX `one_open_notice_per_trouble` ON `notice` (`account_uuid`,`subject_kind`,`subject_id`,`fingerprint`) WHERE ended_at is null;
CREATE INDEX `notices_of_an_account_newest_first` ON `notice` (`account_uuid`,`id`);
CREATE INDEX `notices_of_a_subject` ON `notice` (`subject_kind`,`subject_id`,`id`);
CREATE INDEX `notice_mails_due` ON `notice` (`mail_due_at`) WHERE mail_state = 'pending';
CREATE INDEX `runs_held` ON `run` (`account_uuid`,`automation_id`) WHERE state = 'held';
CREATE INDEX `steps_for_a_person` ON `run_step` (`run_id`) WHERE state in ('unknown', 'held');
CREATE TABLE `conversation` (
	`account_uuid` text NOT NULL,
	`job_uuid` text NOT NULL,
	`channel` text NOT NULL CHECK(`channel` IN ('sms', 'email')),
	`company_uuid` text,
	`opened_at` integer NOT NULL,
	`last_message_at` integer NOT NULL,
	`looked_at` integer,
	`tries` integer NOT NULL,
	`next_look_at` integer NOT NULL,
	PRIMARY KEY(`account_uuid`, `job_uuid`, `channel`),
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `conversations_to_look_at` ON `conversation` (`next_look_at`);
CREATE INDEX `conversations_of_a_customer` ON `conversation` (`account_uuid`,`company_uuid`);
CREATE TABLE `customer_reply` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`job_uuid` text NOT NULL,
	`company_uuid` text,
	`channel` text NOT NULL CHECK(`channel` IN ('sms', 'email')),
	`history_uuid` text NOT NULL,
	`sender_hash` text NOT NULL,
	`words` text NOT NULL,
	`written_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`state` text NOT NULL CHECK(`state` IN ('open', 'went_on', 'stopped', 'muted', 'rule')),
	`settled_at` integer,
	`settled_by` text,
	`tell_uuid` text NOT NULL,
	`tell_at` integer,
	`tell_tries` integer NOT NULL,
	`judge_at` integer,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `an_answer_is_read_once` ON `customer_reply` (`account_uuid`,`channel`,`history_uuid`);
CREATE INDEX `open_answers` ON `customer_reply` (`account_uuid`) WHERE state = 'open';
CREATE INDEX `answers_newest_first` ON `customer_reply` (`account_uuid`,`id`);
CREATE INDEX `answers_to_tell` ON `customer_reply` (`tell_at`) WHERE tell_at is not null;
CREATE INDEX `answers_to_judge` ON `customer_reply` (`judge_at`) WHERE judge_at is not null;
CREATE TABLE `listening` (
	`account_uuid` text PRIMARY KEY NOT NULL,
	`sms_refused_at` integer,
	`email_refused_at` integer,
	`read_at` integer,
	`conversations` integer NOT NULL,
	`inbound_at` integer,
	`dismissed_at` integer,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `message_receipt` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`run_id` integer NOT NULL,
	`step_id` text NOT NULL,
	`item_key` text NOT NULL,
	`channel` text NOT NULL CHECK(`channel` IN ('sms', 'email')),
	`job_uuid` text,
	`receiver_hash` text NOT NULL,
	`state` text NOT NULL CHECK(`state` IN ('open', 'listed', 'delivered', 'opened', 'bounced', 'missing', 'none')),
	`sent_at` integer NOT NULL,
	`state_at` integer,
	`looked_at` integer,
	`next_look_at` integer,
	`history_uuid` text, `judge_at` integer,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `one_receipt_per_sending` ON `message_receipt` (`run_id`,`step_id`,`item_key`,`sent_at`);
CREATE UNIQUE INDEX `a_history_row_belongs_to_one_message` ON `message_receipt` (`account_uuid`,`channel`,`history_uuid`) WHERE history_uuid is not null;
CREATE INDEX `receipts_of_a_job` ON `message_receipt` (`account_uuid`,`job_uuid`,`channel`);
CREATE INDEX `bounced_receivers` ON `message_receipt` (`account_uuid`,`receiver_hash`) WHERE state = 'bounced';
CREATE INDEX `receipts_to_judge` ON `message_receipt` (`judge_at`) WHERE judge_at is not null;
CREATE INDEX `steps_being_sent` ON `run_step` (`run_id`) WHERE state = 'sending';
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '8aed659dde18cbe49fc4a5be21fbd791e1c3d19ba7319e2f21222fff5a1052fc', 1795280478179);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'e1cab4dbdc9f1d69c2bd64d272fd068d9488e5ffb548d2243f322fbead6f946a', 1795291396702);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'd94ead53bda0a8ef327870ab0d094f8f5c41c6353e0d223853d6b58aa46120cb', 1795291715635);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'bdbfc9aee923acc212188f1599379e3004c0ad342fa0210c3d5872c653b41cbb', 1795303335097);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'c48576b40d99b06128cea8e5705a482790ba13cafc1d3ff809fdd85ba438befb', 1795305272173);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'ae86548bbffafffaaa840e2173c48b5cd6a87db385db278cdf683c93b5089ad0', 1795315041168);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '672b51deefb9bb53e585985bb182cc3ed23c372795025c98c94e78b74dc0aa34', 1795361652441);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'c9be6e92738b4f9646e050e8371f6beada03763b9ca21117e6c98351ec1bf932', 1795362652441);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'ef25761321638fee25653a3df24f0e5a40d177604244f3fd6aca43c2abefc5cc', 1795363252441);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '5caa2107f711d3d353efd4e115fdd5d2aabff40b8c13730f87d90e981670e40c', 1795366451928);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'a2a78194b75387fd7e96d5888713182ee6cd829c2ffc9afa71c7a327bc987605', 1795398210877);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '90a7e497e76a832697d07c7c41c92e15f9862f714050c1e577cf801df816ca66', 1795439173671);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '91db865cb0c25c40978dfa6819f00d0c4dd3bd622c45e74f833b1d2f025dda7a', 1795494954796);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'bce5bab343bf1442f4bc437f672eb03401200301a33e4c5cc3940369212be65e', 1795525902661);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '340587320105bbcead9e98327fd94ee096a308f6f1a1e7d102160447990cf6c2', 1795526716769);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '96cfc9ed0fbe4e5a314f065472a68d2b81b39bce8654ca32b71fafa9606d026e', 1795540836092);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '10168d555ac483c0d1331735c577fe18c2960d6292804cfe756a82a724cb35da', 1795756820453);
INSERT INTO "account" ("uuid", "name", "timezone", "created_at", "updated_at", "repeats_told", "email") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'Leeds Boilers', 'Europe/London', 1795100000000, 1795100000000, 1, 'office@leeds-boilers.example');
INSERT INTO "account" ("uuid", "name", "timezone", "created_at", "updated_at", "repeats_told", "email") VALUES ('5b7f8a10-2c44-4f5d-8e0b-91b7a2d4c902', 'Bondi Plumbing', 'Australia/Sydney', 1795186400000, 1795186400000, 0, NULL);
INSERT INTO "account_key" ("account_uuid", "sealed_with", "key_sealed", "created_at") VALUES ('5b7f8a10-2c44-4f5d-8e0b-91b7a2d4c902', 'k1', 'v1.k1.HGD5XuH9h81bFseL.-3B7mtEtRBO7BzXQ81aMdH4g7HURbG_fjin4nETMmnEG8gU7aIee708jPA.c4PE1YyLBLYjKNnQpt2Gyg', 1795186400000);
INSERT INTO "account_load" ("account_uuid", "pending_count", "pending_bytes") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 228);
INSERT INTO "account_mapping" ("id", "external_id", "account_uuid", "created_at") VALUES (1, 'leeds-boilers', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1795100000000);
INSERT INTO "account_person" ("account_uuid", "staff_uuid", "role", "since") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', '33333333-0000-4000-8000-000000000001', 'owner', 1795100000000);
INSERT INTO "account_setting" ("account_uuid", "notices_by_mail", "notice_email", "updated_at", "mails_off", "weekly_line", "holidays_off", "closed_days") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'office@leeds-boilers.example', 1795100000000, 'silent', 1, 1, '[{"from":"2026-12-24","to":"2027-01-03"}]');
INSERT INTO "api_activity" ("id", "account_uuid", "activity_type", "endpoint", "method", "request_data", "response_data", "status_code", "user_agent", "remote_ip", "duration_ms", "created_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'Webhook Subscription', '/webhook_subscriptions/object', 'POST', '{"object":"job"}', '{"success":true}', 200, NULL, NULL, 80, 1795100000000);
INSERT INTO "attempt" ("id", "delivery_id", "account_uuid", "endpoint_id", "url", "number", "at", "duration_ms", "dns_ms", "connect_ms", "tls_ms", "first_byte_ms", "outcome", "status_code", "sentence", "peer_ip", "response_body", "retry_after_ms") VALUES (1, 1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'http://127.0.0.1:9/jobs', 1, 1795103600000, 120, 1, 2, NULL, 100, 'http_error', 500, 'Your system answered 500.', '127.0.0.1', 'oops', NULL);
INSERT INTO "attempt" ("id", "delivery_id", "account_uuid", "endpoint_id", "url", "number", "at", "duration_ms", "dns_ms", "connect_ms", "tls_ms", "first_byte_ms", "outcome", "status_code", "sentence", "peer_ip", "response_body", "retry_after_ms") VALUES (2, 1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'http://127.0.0.1:9/jobs', 2, 1795107200000, 120, 1, 2, NULL, 100, 'delivered', 200, 'Delivered.', '127.0.0.1', 'ok', NULL);
INSERT INTO "audit_entry" ("id", "at", "account_uuid", "actor", "staff_uuid", "action", "target", "outcome", "ip", "detail") VALUES (1, 1795100000000, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'session', '33333333-0000-4000-8000-000000000001', 'sign_in', 'Leeds Boilers', 'done', '192.0.2.7', '{}');
INSERT INTO "automation" ("id", "account_uuid", "name", "active", "trigger_source", "watched_object", "version", "definition", "trigger_key_hash", "trigger_key_sealed", "next_run_at", "active_since", "baselined", "paused_reason", "paused_at", "execution_count", "last_executed_at", "created_at", "updated_at", "deleted_at", "paused_reason_code", "paused_reason_params", "at_once") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'Thank the customer', 1, 'webhook', 'job', 2, '{"description":"Thanks the customer.","trigger":{"source":"webhook","object":"job","type":"job_status","webhookSubscriptionId":1,"jobUuid":null,"queueUuid":null,"fieldName":null,"fromValue":null,"settleMinutes":0},"conditions":[{"field":"status","operator":"equals","value":"Completed","logicalOperator":"AND"}],"grouping":{"enabled":false,"field":null},"digest":false,"steps":[{"id":"s1","type":"send_sms","parameters":{"to":"{contact_mobile}","message":"Thank you, {contact_first}!"},"waitForPrevious":false}],"once":"change","guards":{"cooldownDays":0,"dailyCap":null,"respectQuietHours":false,"askFirst":false,"recheckBeforeSending":false}}', 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', 'v1.k1.1ZEV2kjBQGkUJBJG.xrFVJ2CTlcuKYDo.KTWsr3RgJuIwmJ38uriRrg', NULL, 1795100000000, 1, NULL, NULL, 1, 1795107200000, 1795100000000, 1795103600000, NULL, NULL, NULL, 0);
INSERT INTO "automation_guard" ("account_uuid", "guards", "updated_at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', '{"quietFrom":"21:00","quietTo":"07:00"}', 1795100000000);
INSERT INTO "automation_template" ("id", "account_uuid", "name", "description", "category", "is_public", "definition", "created_at", "updated_at") VALUES (1000, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'Our thanks', 'Made by an admin.', 'communication', 1, '{"description":"Thanks the customer.","trigger":{"source":"webhook","object":"job","type":"job_status","webhookSubscriptionId":1,"jobUuid":null,"queueUuid":null,"fieldName":null,"fromValue":null,"settleMinutes":0},"conditions":[{"field":"status","operator":"equals","value":"Completed","logicalOperator":"AND"}],"grouping":{"enabled":false,"field":null},"digest":false,"steps":[{"id":"s1","type":"send_sms","parameters":{"to":"{contact_mobile}","message":"Thank you, {contact_first}!"},"waitForPrevious":false}],"once":"change","guards":{"cooldownDays":0,"dailyCap":null,"respectQuietHours":false,"askFirst":false,"recheckBeforeSending":false}}', 1795100000000, 1795100000000);
INSERT INTO "automation_version" ("automation_id", "version", "name", "definition", "created_at") VALUES (1, 1, 'Thank', '{"description":"Thanks the customer.","trigger":{"source":"webhook","object":"job","type":"job_status","webhookSubscriptionId":1,"jobUuid":null,"queueUuid":null,"fieldName":null,"fromValue":null,"settleMinutes":0},"conditions":[{"field":"status","operator":"equals","value":"Completed","logicalOperator":"AND"}],"grouping":{"enabled":false,"field":null},"digest":false,"steps":[{"id":"s1","type":"send_sms","parameters":{"to":"{contact_mobile}","message":"Thank you, {contact_first}!"},"waitForPrevious":false}],"once":"change","guards":{"cooldownDays":0,"dailyCap":null,"respectQuietHours":false,"askFirst":false,"recheckBeforeSending":false}}', 1795100000000);
INSERT INTO "automation_version" ("automation_id", "version", "name", "definition", "created_at") VALUES (1, 2, 'Thank the customer', '{"description":"Thanks the customer.","trigger":{"source":"webhook","object":"job","type":"job_status","webhookSubscriptionId":1,"jobUuid":null,"queueUuid":null,"fieldName":null,"fromValue":null,"settleMinutes":0},"conditions":[{"field":"status","operator":"equals","value":"Completed","logicalOperator":"AND"}],"grouping":{"enabled":false,"field":null},"digest":false,"steps":[{"id":"s1","type":"send_sms","parameters":{"to":"{contact_mobile}","message":"Thank you, {contact_first}!"},"waitForPrevious":false}],"once":"change","guards":{"cooldownDays":0,"dailyCap":null,"respectQuietHours":false,"askFirst":false,"recheckBeforeSending":false}}', 1795103600000);
INSERT INTO "backup_run" ("id", "kind", "started_at", "ended_at", "outcome", "name", "database_bytes", "stored_bytes", "message", "detail") VALUES (1, 'backup', 1795186400000, 1795186401000, 'done', '2026-11-20T00-00-00Z.db.age', 4096000, 400000, '', '{}');
INSERT INTO "backup_run" ("id", "kind", "started_at", "ended_at", "outcome", "name", "database_bytes", "stored_bytes", "message", "detail") VALUES (2, 'drill', 1795190000000, 1795190005000, 'done', '2026-11-20T00-00-00Z.db.age', 4096000, 400000, '', '{}');
INSERT INTO "conversation" ("account_uuid", "job_uuid", "channel", "company_uuid", "opened_at", "last_message_at", "looked_at", "tries", "next_look_at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', '11111111-0000-4000-8000-000000000001', 'sms', NULL, 1795103601000, 1795103601000, 1795103661000, 0, 1795103961000);
INSERT INTO "credential" ("account_uuid", "access_token_sealed", "refresh_token_sealed", "expires_at", "scope", "state", "state_reason", "generation", "created_at", "updated_at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'v1.k1.4wQMnexSLaln3klL.ij-Rh9-9jYJf8xWttpV1j4Tb.4Zti1KVxaqA81T2i67p8Dw', 'v1.k1.YZsZvZcSoq4nrzhh.8UaJMUnmesJOxM74FqNOkfklgw.Zi7f4DMY9k72tbKYLLi6Aw', 1795103600000, 'vendor read_jobs', 'connected', NULL, 3, 1795100000000, 1795100000000);
INSERT INTO "credential" ("account_uuid", "access_token_sealed", "refresh_token_sealed", "expires_at", "scope", "state", "state_reason", "generation", "created_at", "updated_at") VALUES ('5b7f8a10-2c44-4f5d-8e0b-91b7a2d4c902', 'v2._BJgEypQ.8yC2yKUD6sv47WVJ.O3EHVnjXvI_A_1Yj0pRk-oK_.2_TCKHI5F9EUd1cdJyArRg', 'v2._BJgEypQ.q-0-ycPjtFVXM78x.r_y_6MQOvZjzURkklqTxxSYFYA.FHnHshfd8eQx42J92FQv5w', 1795190000000, 'vendor read_jobs', 'reconnect', 'ServiceM8 no longer accepts the connection.', 3, 1795186400000, 1795186400000);
INSERT INTO "customer_message" ("id", "account_uuid", "automation_id", "run_id", "channel", "receiver_hash", "at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 1, 'sms', '9999999999999999999999999999999999999999999999999999999999999999', 1795103600000);
INSERT INTO "customer_reply" ("id", "account_uuid", "job_uuid", "company_uuid", "channel", "history_uuid", "sender_hash", "words", "written_at", "seen_at", "state", "settled_at", "settled_by", "tell_uuid", "tell_at", "tell_tries", "judge_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', '11111111-0000-4000-8000-000000000001', NULL, 'sms', '66666666-0000-4000-8000-000000000002', '9999999999999999999999999999999999999999999999999999999999999999', 'Yes please', 1795103700000, 1795103720000, 'open', NULL, NULL, '66666666-0000-4000-8000-000000000003', NULL, 1, NULL);
INSERT INTO "delivery" ("id", "event_seq", "endpoint_id", "account_uuid", "object_uuid", "cause", "cause_no", "state", "state_reason", "due_at", "deadline_at", "attempts", "steps", "last_code", "created_at", "settled_at") VALUES (1, 1, 1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', '11111111-0000-4000-8000-000000000001', 'live', 0, 'delivered', NULL, 1795103600000, 1795362800000, 2, 1, 200, 1795103600000, 1795107200000);
INSERT INTO "delivery" ("id", "event_seq", "endpoint_id", "account_uuid", "object_uuid", "cause", "cause_no", "state", "state_reason", "due_at", "deadline_at", "attempts", "steps", "last_code", "created_at", "settled_at") VALUES (2, 2, 2, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', '22222222-0000-4000-8000-000000000001', 'live', 0, 'pending', NULL, 1795107200000, 2110460000000, 0, 0, NULL, 1795107200000, NULL);
INSERT INTO "delivery" ("id", "event_seq", "endpoint_id", "account_uuid", "object_uuid", "cause", "cause_no", "state", "state_reason", "due_at", "deadline_at", "attempts", "steps", "last_code", "created_at", "settled_at") VALUES (3, 3, 1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', '11111111-0000-4000-8000-000000000002', 'live', 0, 'expired', 'It did not work for 72 hours.', 1795110800000, 1795370000000, 12, 12, 500, 1795110800000, 1795370000000);
INSERT INTO "endpoint" ("id", "account_uuid", "webhook_id", "object_type", "field_filter", "url", "secret_sealed", "previous_secret_sealed", "previous_secret_until", "state", "state_reason", "state_since", "hold_until", "hold_reason", "hold_since", "breaker", "breaker_probes", "next_probe_at", "failing_since", "failure_streak", "failure_events", "redirect_streak", "last_success_at", "last_attempt_at", "last_code", "last_sentence", "pending_count", "created_at", "forwarding_rule_id") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'job', '', 'http://127.0.0.1:9/jobs', 'v1.k1.3tNdC9DH-qghwGW-.ZUqVokfiztg7dQA_yLc.AGy0L-VnN42fcR9IW4TqvQ', 'v1.k1.Rbv-lI7pORVRTlpf.tlDo9fyjkz63BBBAF8A.GPOYsSaInQl6xB698Agy8A', 1795186400000, 'active', NULL, 1795100000000, NULL, NULL, NULL, 'closed', 0, NULL, NULL, 0, '[]', 0, 1795107200000, 1795107200000, 200, 'Delivered.', 0, 1795100000000, NULL);
INSERT INTO "endpoint" ("id", "account_uuid", "webhook_id", "object_type", "field_filter", "url", "secret_sealed", "previous_secret_sealed", "previous_secret_until", "state", "state_reason", "state_since", "hold_until", "hold_reason", "hold_since", "breaker", "breaker_probes", "next_probe_at", "failing_since", "failure_streak", "failure_events", "redirect_streak", "last_success_at", "last_attempt_at", "last_code", "last_sentence", "pending_count", "created_at", "forwarding_rule_id") VALUES (2, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 2, 'company', '', 'http://127.0.0.1:9/companies', 'v1.k1.NqkN6NUsGGXCDSEh.7oNVSZB5bO_xlvy8zBM.kEFlcMO5-cfBFf0Kdt_SpA', NULL, NULL, 'paused', NULL, 1795103600000, NULL, NULL, NULL, 'closed', 0, NULL, NULL, 1, '[2]', 0, NULL, NULL, NULL, NULL, 1, 1795100000000, NULL);
INSERT INTO "endpoint" ("id", "account_uuid", "webhook_id", "object_type", "field_filter", "url", "secret_sealed", "previous_secret_sealed", "previous_secret_until", "state", "state_reason", "state_since", "hold_until", "hold_reason", "hold_since", "breaker", "breaker_probes", "next_probe_at", "failing_since", "failure_streak", "failure_events", "redirect_streak", "last_success_at", "last_attempt_at", "last_code", "last_sentence", "pending_count", "created_at", "forwarding_rule_id") VALUES (3, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', NULL, 'job', '', 'http://127.0.0.1:9/books', 'v1.k1.SyjKIKfvrsrHAEp9.r0lf1xZex4vqkXq723k.gRQKARrXgo2HR7CnYI9rww', NULL, NULL, 'active', NULL, 1795100000000, NULL, NULL, NULL, 'closed', 0, NULL, NULL, 0, '[]', 0, NULL, NULL, NULL, NULL, 0, 1795100000000, 1);
INSERT INTO "endpoint_check" ("endpoint_id", "account_uuid", "url", "at", "steps") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'http://127.0.0.1:9/jobs', 1795103600000, '[]');
INSERT INTO "endpoint_hour" ("endpoint_id", "hour", "events", "delivered", "failed", "duration_sum_ms", "duration_max_ms") VALUES (1, 498639, 2, 1, 1, 240, 120);
INSERT INTO "event" ("seq", "id", "account_uuid", "subscription_id", "source", "object", "object_uuid", "changed_fields", "received_at", "dedupe") VALUES (1, '019300000001-0000-7000-8000-000000000001', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'object', 'job', '11111111-0000-4000-8000-000000000001', '["status"]', 1795103600000, '0000000000000000000000000000000000000000000000000000000000000001');
INSERT INTO "event" ("seq", "id", "account_uuid", "subscription_id", "source", "object", "object_uuid", "changed_fields", "received_at", "dedupe") VALUES (2, '019300000002-0000-7000-8000-000000000002', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'object', 'company', '22222222-0000-4000-8000-000000000001', '["status"]', 1795107200000, '0000000000000000000000000000000000000000000000000000000000000002');
INSERT INTO "event" ("seq", "id", "account_uuid", "subscription_id", "source", "object", "object_uuid", "changed_fields", "received_at", "dedupe") VALUES (3, '019300000003-0000-7000-8000-000000000003', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 'object', 'job', '11111111-0000-4000-8000-000000000002', '["status"]', 1795110800000, '0000000000000000000000000000000000000000000000000000000000000003');
INSERT INTO "event_body" ("seq", "body") VALUES (1, '{"object":"job","entry":[{"uuid":"11111111-0000-4000-8000-000000000001","changed_fields":["status"],"time":"2026-11-19 09:00:00"}],"resource_url":"https://api.servicem8.com/api_1.0/job/11111111-0000-4000-8000-000000000001.json"}');
INSERT INTO "event_body" ("seq", "body") VALUES (2, '{"object":"job","entry":[{"uuid":"22222222-0000-4000-8000-000000000001","changed_fields":["status"],"time":"2026-11-19 09:00:00"}],"resource_url":"https://api.servicem8.com/api_1.0/job/22222222-0000-4000-8000-000000000001.json"}');
INSERT INTO "form_draft" ("id", "account_uuid", "token_hash", "form_sealed", "weight", "expires_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', 'v1.k1.lF5wh5tif_aNDhWc.B46UYCdVy1zW1CBI1NIvrJIqNnx18etqGe-UBnpgftlZh4GH0sPDPuqE2UId8Z_fQeps3RI3Y8lybTFeyHq-7PloySTe5BV8XpaU2Q.dwqm1UyhIiSQk34R3xXWpQ', 80, 2110460000000);
INSERT INTO "forwarding_rule" ("id", "account_uuid", "name", "object_type", "created_at", "updated_at", "deleted_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'Bookkeeping', 'job', 1795100000000, 1795100000000, NULL);
INSERT INTO "lease" ("name", "owner", "expires_at") VALUES ('deliveries', 'gone', 1795186400000);
INSERT INTO "listening" ("account_uuid", "sms_refused_at", "email_refused_at", "read_at", "conversations", "inbound_at", "dismissed_at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', NULL, NULL, 1795103661000, 1, 1795103720000, NULL);
INSERT INTO "message_receipt" ("id", "account_uuid", "run_id", "step_id", "item_key", "channel", "job_uuid", "receiver_hash", "state", "sent_at", "state_at", "looked_at", "next_look_at", "history_uuid", "judge_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 's1', '0', 'sms', '11111111-0000-4000-8000-000000000001', '9999999999999999999999999999999999999999999999999999999999999999', 'delivered', 1795103601000, 1795103602000, 1795103661000, NULL, '66666666-0000-4000-8000-000000000001', 1795103662000);
INSERT INTO "mute" ("id", "account_uuid", "kind", "record_uuid", "until_at", "created_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'company', '22222222-0000-4000-8000-000000000001', NULL, 1795100000000);
INSERT INTO "notice" ("id", "account_uuid", "subject_kind", "subject_id", "kind", "fingerprint", "since", "last_at", "count", "sentence", "reason_code", "reason_params", "run_id", "at", "ended_at", "mail_state", "mail_sentence", "mail_reason_code", "mail_reason_params", "mail_tries", "mail_due_at", "told_at", "told_count", "dismissed_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'endpoint', 1, 'failing', 'failing', 1795103600000, 1795103600000, 1, 'Your system has not accepted an event for an hour.', NULL, NULL, NULL, 1795107200000, NULL, 'none', NULL, NULL, NULL, 0, NULL, NULL, 0, NULL);
INSERT INTO "notice" ("id", "account_uuid", "subject_kind", "subject_id", "kind", "fingerprint", "since", "last_at", "count", "sentence", "reason_code", "reason_params", "run_id", "at", "ended_at", "mail_state", "mail_sentence", "mail_reason_code", "mail_reason_params", "mail_tries", "mail_due_at", "told_at", "told_count", "dismissed_at") VALUES (2, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'rule', 1, 'failing', 'failing:s1:invalid', 1795103600000, 1795104600000, 3, 'ServiceM8 refused this text: "Not a mobile number"', NULL, NULL, 1, 1795103600000, NULL, 'sent', NULL, 'sent', '{"to":"office@leeds-boilers.example"}', 1, NULL, 1795103660000, 1, NULL);
INSERT INTO "own_write" ("account_uuid", "object", "record_uuid", "field", "value", "run_id", "automation_id", "hop", "at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'job', '11111111-0000-4000-8000-000000000001', 'status', 'Completed', 1, 1, 1, 1795103600000);
INSERT INTO "payment_event" ("id", "type", "created_at", "received_at", "processed_at", "failures", "error") VALUES ('evt_1', 'invoice.paid', 1795186400000, 1795186400000, 1795186401000, 0, NULL);
INSERT INTO "placeholder_marker" ("external_id", "created_at", "expires_at") VALUES ('visitor-1', 1795100000000, 1795186400000);
INSERT INTO "plan" ("id", "account_uuid", "status", "trial_started_at", "trial_ends_at", "current_period_start", "current_period_end", "cancel_at_period_end", "past_due_since", "customer_id", "subscription_id", "price_id", "open_subscription_id", "open_offer", "open_renewal_id", "payment_attempt", "held_since", "hold_reason", "last_synced_at", "created_at", "updated_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'active', 1795100000000, 1796309600000, 1795186400000, 1797778400000, 0, NULL, 'cus_1', 'sub_1', 'price_1', NULL, NULL, NULL, 1, NULL, NULL, 1795186400000, 1795100000000, 1795186400000);
INSERT INTO "poll_cursor" ("account_uuid", "source", "watermark", "last_ok_at", "last_error", "next_at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'webhook:jobcontact', '2026-11-19 09:00:00', 1795100000000, NULL, 2110460000000);
INSERT INTO "record_snapshot" ("account_uuid", "object", "record_uuid", "edit_date", "fields", "first_seen_at", "updated_at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'job', '11111111-0000-4000-8000-000000000001', '2026-11-19 09:00:00', '{"status":"Work Order"}', 1795100000000, 1795100000000);
INSERT INTO "renewal_payment" ("payment_id", "account_uuid", "state", "amount", "created_at", "updated_at") VALUES ('pi_1', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'applied', 500, 1795186400000, 1795186400000);
INSERT INTO "replay" ("id", "account_uuid", "endpoint_id", "since", "status", "object_uuid", "state", "next_seq", "until_seq", "total", "made", "delivered", "undelivered", "created_at", "ended_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 1795100000000, 'all', NULL, 'done', 4, 3, 1, 1, 1, 0, 1795186400000, 1795186460000);
INSERT INTO "rule_verdict" ("automation_id", "record_uuid", "account_uuid", "at", "verdict", "detail", "run_id") VALUES (1, '11111111-0000-4000-8000-000000000001', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1795103600000, 'fired', NULL, 1);
INSERT INTO "run" ("id", "account_uuid", "automation_id", "version", "source", "occurrence", "object", "record_uuid", "record_uuids", "group_key", "trigger_data", "state", "outcome", "reason", "wake_at", "lease_owner", "lease_until", "replay_of", "hop", "created_at", "started_at", "ended_at", "reason_code", "reason_params") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 2, 'webhook', 'event:1', 'job', '11111111-0000-4000-8000-000000000001', '["11111111-0000-4000-8000-000000000001"]', NULL, '{"type":"webhook","object":"job","recordUuid":"11111111-0000-4000-8000-000000000001"}', 'done', 'success', NULL, 1795100000000, NULL, NULL, NULL, 0, 1795103600000, 1795103600000, 1795103660000, NULL, NULL);
INSERT INTO "run" ("id", "account_uuid", "automation_id", "version", "source", "occurrence", "object", "record_uuid", "record_uuids", "group_key", "trigger_data", "state", "outcome", "reason", "wake_at", "lease_owner", "lease_until", "replay_of", "hop", "created_at", "started_at", "ended_at", "reason_code", "reason_params") VALUES (2, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 1, 2, 'person', NULL, 'job', '11111111-0000-4000-8000-000000000002', '["11111111-0000-4000-8000-000000000002"]', NULL, '{"type":"webhook","object":"job","recordUuid":"11111111-0000-4000-8000-000000000001"}', 'held', NULL, 'It waits for you to say "send".', 1795100000000, NULL, NULL, NULL, 0, 1795107200000, 1795107200000, NULL, NULL, NULL);
INSERT INTO "run_step" ("run_id", "step_id", "item_key", "seq", "state", "attempt", "client_uuid", "effect", "result", "error_class", "sentence", "next_attempt_at", "planned_at", "sending_at", "ended_at", "reason_code", "reason_params") VALUES (1, 's1', '0', 1, 'sent', 1, '55555555-0000-4000-8000-000000000001', '{"kind":"sms","to":"+447700900123","message":"Thank you, Ann!"}', '{"sms_id":"9","status":"sent"}', NULL, NULL, NULL, 1795103600000, 1795103601000, 1795103602000, NULL, NULL);
INSERT INTO "seen_ledger" ("automation_id", "record_uuid", "occurrence", "run_id", "at", "expires_at") VALUES (1, '11111111-0000-4000-8000-000000000001', 'event:1', 1, 1795103600000, NULL);
INSERT INTO "session" ("token_hash", "created_at", "last_seen_at", "expires_at") VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 1795100000000, 1795103600000, 2110460000000);
INSERT INTO "session_account" ("token_hash", "account_uuid", "staff_uuid", "proof", "proved_at") VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', '33333333-0000-4000-8000-000000000001', 'oauth', 1795100000000);
INSERT INTO "sign_in_attempt" ("state_hash", "external_id", "created_at", "expires_at", "used_at") VALUES ('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'leeds-boilers', 1795100000000, 1795100600000, 1795100060000);
INSERT INTO "subscription" ("id", "account_uuid", "object", "fields", "token_hash", "token_sealed", "platform_uuid", "state", "state_reason", "ends_at", "created_at", "updated_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'job', 'job_address,status', 'dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 'v1.k1.zGukaSrS3k3HKtH7.Awg6xhn4M6PaIWNyXKtheb4EsD40eoC7n0NZonTt8sKM.DpcDqaQCFwhhodu1xAP2og', '44444444-0000-4000-8000-000000000001', 'active', NULL, NULL, 1795100000000, 1795100000000);
INSERT INTO "subscription" ("id", "account_uuid", "object", "fields", "token_hash", "token_sealed", "platform_uuid", "state", "state_reason", "ends_at", "created_at", "updated_at") VALUES (2, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'note', 'note', 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', 'v1.k1._nEdar7ctFqD982y.0eBqsMNkTX9y1Bouta0I5WPh2Cqbg-iIvS2KnLFVvVnVGg.rDOBLjoXpYNihr-RCkretg', NULL, 'deleted', NULL, NULL, 1795100000000, 1795186400000);
INSERT INTO "template_use" ("template_id", "count") VALUES (1, 4);
INSERT INTO "ticket" ("token_hash", "kind", "account_uuid", "staff_uuid", "expires_at", "used_at") VALUES ('cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 'link', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', NULL, 1795100600000, NULL);
INSERT INTO "touched_record" ("account_uuid", "object", "record_uuid", "changed_fields", "created", "event_seq", "first_at", "due_at", "turn", "tries") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'job', '11111111-0000-4000-8000-000000000002', '["status"]', 0, 3, 1795110800000, 2110460000000, 1, 0);
INSERT INTO "trigger_call" ("automation_id", "key", "run_id", "expires_at") VALUES (1, 'call-1', 1, 1795186400000);
INSERT INTO "usage_day" ("account_uuid", "day", "kind", "count") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 20776, 'webhook_received', 3);
INSERT INTO "usage_day" ("account_uuid", "day", "kind", "count") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 20776, 'webhook_forwarded', 1);
INSERT INTO "usage_report" ("identifier", "account_uuid", "day", "count", "sent_at", "failures", "created_at") VALUES ('0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01-20776', '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 20776, 3, 1795186400000, 0, 1795186400000);
INSERT INTO "webhook" ("id", "account_uuid", "object_type", "fields", "created_at", "updated_at", "deleted_at") VALUES (1, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'job', '', 1795100000000, 1795100000000, NULL);
INSERT INTO "webhook" ("id", "account_uuid", "object_type", "fields", "created_at", "updated_at", "deleted_at") VALUES (2, '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01', 'company', 'name', 1795100000000, 1795100000000, NULL);

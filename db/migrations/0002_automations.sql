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
	`deleted_at` integer,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `automations_of_an_account` ON `automation` (`account_uuid`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `automations_watching_an_object` ON `automation` (`account_uuid`,`watched_object`) WHERE active = 1 and deleted_at is null;--> statement-breakpoint
CREATE INDEX `automations_due` ON `automation` (`next_run_at`) WHERE active = 1 and deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX `automation_by_trigger_key` ON `automation` (`trigger_key_hash`);--> statement-breakpoint
CREATE TABLE `automation_guard` (
	`account_uuid` text PRIMARY KEY NOT NULL,
	`guards` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE `automation_version` (
	`automation_id` integer NOT NULL,
	`version` integer NOT NULL,
	`name` text NOT NULL,
	`definition` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`automation_id`, `version`),
	FOREIGN KEY (`automation_id`) REFERENCES `automation`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `customer_message` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`automation_id` integer NOT NULL,
	`run_id` integer NOT NULL,
	`channel` text NOT NULL CHECK(`channel` IN ('sms', 'email')),
	`receiver_hash` text NOT NULL,
	`at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `messages_of_a_rule` ON `customer_message` (`automation_id`,`at`);--> statement-breakpoint
CREATE INDEX `messages_to_a_receiver` ON `customer_message` (`account_uuid`,`receiver_hash`,`at`);--> statement-breakpoint
CREATE TABLE `mute` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`kind` text NOT NULL CHECK(`kind` IN ('company', 'job')),
	`record_uuid` text NOT NULL,
	`until_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `one_mute_per_record` ON `mute` (`account_uuid`,`kind`,`record_uuid`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `own_writes_to_forget` ON `own_write` (`at`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `verdicts_on_a_record` ON `rule_verdict` (`account_uuid`,`record_uuid`);--> statement-breakpoint
CREATE INDEX `verdicts_to_forget` ON `rule_verdict` (`at`);--> statement-breakpoint
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
	`ended_at` integer,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`automation_id`) REFERENCES `automation`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `runs_to_do` ON `run` (`wake_at`) WHERE state in ('queued', 'running', 'waiting');--> statement-breakpoint
CREATE INDEX `runs_of_an_account_newest_first` ON `run` (`account_uuid`,`id`);--> statement-breakpoint
CREATE INDEX `runs_of_a_rule_newest_first` ON `run` (`automation_id`,`id`);--> statement-breakpoint
CREATE INDEX `runs_of_a_record` ON `run` (`account_uuid`,`record_uuid`,`id`);--> statement-breakpoint
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
	`ended_at` integer,
	PRIMARY KEY(`run_id`, `step_id`, `item_key`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `ledger_to_forget` ON `seen_ledger` (`expires_at`) WHERE expires_at is not null;--> statement-breakpoint
CREATE TABLE `template_use` (
	`template_id` integer PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
) STRICT;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `touched_records_due` ON `touched_record` (`due_at`);--> statement-breakpoint
CREATE TABLE `trigger_call` (
	`automation_id` integer NOT NULL,
	`key` text NOT NULL,
	`run_id` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`automation_id`, `key`),
	FOREIGN KEY (`automation_id`) REFERENCES `automation`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;

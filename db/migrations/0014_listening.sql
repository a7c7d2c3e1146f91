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
--> statement-breakpoint
CREATE INDEX `conversations_to_look_at` ON `conversation` (`next_look_at`);--> statement-breakpoint
CREATE INDEX `conversations_of_a_customer` ON `conversation` (`account_uuid`,`company_uuid`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE UNIQUE INDEX `an_answer_is_read_once` ON `customer_reply` (`account_uuid`,`channel`,`history_uuid`);--> statement-breakpoint
CREATE INDEX `open_answers` ON `customer_reply` (`account_uuid`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `answers_newest_first` ON `customer_reply` (`account_uuid`,`id`);--> statement-breakpoint
CREATE INDEX `answers_to_tell` ON `customer_reply` (`tell_at`) WHERE tell_at is not null;--> statement-breakpoint
CREATE INDEX `answers_to_judge` ON `customer_reply` (`judge_at`) WHERE judge_at is not null;--> statement-breakpoint
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
--> statement-breakpoint
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
	`history_uuid` text,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `one_receipt_per_sending` ON `message_receipt` (`run_id`,`step_id`,`item_key`,`sent_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `a_history_row_belongs_to_one_message` ON `message_receipt` (`account_uuid`,`channel`,`history_uuid`) WHERE history_uuid is not null;--> statement-breakpoint
CREATE INDEX `receipts_of_a_job` ON `message_receipt` (`account_uuid`,`job_uuid`,`channel`);--> statement-breakpoint
CREATE INDEX `bounced_receivers` ON `message_receipt` (`account_uuid`,`receiver_hash`) WHERE state = 'bounced';
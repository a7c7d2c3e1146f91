CREATE TABLE `account_setting` (
	`account_uuid` text PRIMARY KEY NOT NULL,
	`notices_by_mail` integer NOT NULL CHECK (`notices_by_mail` IN (0, 1)),
	`notice_email` text,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `endpoint_check` (
	`endpoint_id` integer PRIMARY KEY NOT NULL,
	`account_uuid` text NOT NULL,
	`url` text NOT NULL,
	`at` integer NOT NULL,
	`steps` text NOT NULL,
	FOREIGN KEY (`endpoint_id`) REFERENCES `endpoint`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE UNIQUE INDEX `notice_once_per_change` ON `endpoint_notice` (`endpoint_id`,`kind`,`since`);--> statement-breakpoint
CREATE INDEX `notices_of_an_account_newest_first` ON `endpoint_notice` (`account_uuid`,`id`);--> statement-breakpoint
CREATE INDEX `notice_mails_due` ON `endpoint_notice` (`mail_due_at`) WHERE mail_state = 'pending';--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `forwarding_rules_of_an_account` ON `forwarding_rule` (`account_uuid`,`id`) WHERE deleted_at is null;--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
ALTER TABLE `endpoint` ADD `forwarding_rule_id` integer REFERENCES forwarding_rule(id);--> statement-breakpoint
CREATE UNIQUE INDEX `endpoint_of_a_forwarding_rule` ON `endpoint` (`forwarding_rule_id`);
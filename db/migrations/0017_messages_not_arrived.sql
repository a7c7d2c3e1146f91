-- A kind more: messages that did not arrive. SQLite changes no CHECK in place.
CREATE TABLE `notice_new` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`subject_kind` text NOT NULL CHECK(`subject_kind` IN ('endpoint', 'rule', 'account')),
	`subject_id` integer NOT NULL,
	`kind` text NOT NULL CHECK(`kind` IN ('failing', 'stopped', 'recovered', 'waiting', 'silent', 'undelivered', 'reconnect', 'suspended', 'permission', 'plan', 'upstream', 'weekly')),
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
--> statement-breakpoint
INSERT INTO `notice_new` (`id`, `account_uuid`, `subject_kind`, `subject_id`, `kind`, `fingerprint`, `since`, `last_at`, `count`, `sentence`, `reason_code`, `reason_params`, `run_id`, `at`, `ended_at`, `mail_state`, `mail_sentence`, `mail_reason_code`, `mail_reason_params`, `mail_tries`, `mail_due_at`, `told_at`, `told_count`, `dismissed_at`)
SELECT `id`, `account_uuid`, `subject_kind`, `subject_id`, `kind`, `fingerprint`, `since`, `last_at`, `count`, `sentence`, `reason_code`, `reason_params`, `run_id`, `at`, `ended_at`, `mail_state`, `mail_sentence`, `mail_reason_code`, `mail_reason_params`, `mail_tries`, `mail_due_at`, `told_at`, `told_count`, `dismissed_at` FROM `notice`;
--> statement-breakpoint
DROP TABLE `notice`;
--> statement-breakpoint
ALTER TABLE `notice_new` RENAME TO `notice`;
--> statement-breakpoint
CREATE UNIQUE INDEX `notice_once_per_change` ON `notice` (`account_uuid`,`subject_kind`,`subject_id`,`fingerprint`,`since`);
--> statement-breakpoint
CREATE UNIQUE INDEX `one_open_notice_per_trouble` ON `notice` (`account_uuid`,`subject_kind`,`subject_id`,`fingerprint`) WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX `notices_of_an_account_newest_first` ON `notice` (`account_uuid`,`id`);
--> statement-breakpoint
CREATE INDEX `notices_of_a_subject` ON `notice` (`subject_kind`,`subject_id`,`id`);
--> statement-breakpoint
CREATE INDEX `notice_mails_due` ON `notice` (`mail_due_at`) WHERE mail_state = 'pending';
--> statement-breakpoint
CREATE INDEX `messages_not_arrived` ON `message_receipt` (`sent_at`) WHERE state in ('bounced', 'missing');
--> statement-breakpoint
CREATE INDEX `subscriptions_of_an_account` ON `subscription` (`account_uuid`);

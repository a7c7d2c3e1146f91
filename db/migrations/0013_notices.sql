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
--> statement-breakpoint
-- The newest notice of an address goes on, unless it tells of an end.
INSERT INTO `notice` (`id`, `account_uuid`, `subject_kind`, `subject_id`, `kind`, `fingerprint`, `since`, `last_at`, `count`, `sentence`,
	`reason_code`, `reason_params`, `at`, `ended_at`, `mail_state`, `mail_sentence`, `mail_reason_code`, `mail_reason_params`, `mail_tries`,
	`mail_due_at`, `told_at`, `told_count`, `dismissed_at`)
SELECT `id`, `account_uuid`, 'endpoint', `endpoint_id`, `kind`, `kind`, `since`, `since`, 1, nullif(`sentence`, ''),
	`reason_code`, `reason_params`, `at`,
	CASE WHEN `kind` = 'recovered' THEN `since` ELSE lead(`since`) OVER (PARTITION BY `endpoint_id` ORDER BY `id`) END,
	`mail_state`, `mail_sentence`, `mail_reason_code`, `mail_reason_params`, `mail_tries`,
	CASE WHEN `mail_state` = 'pending' THEN `mail_due_at` END,
	CASE WHEN `mail_state` IN ('sent', 'failed') AND `mail_tries` > 0 THEN `mail_due_at` END,
	CASE WHEN `mail_state` IN ('sent', 'failed') AND `mail_tries` > 0 THEN 1 ELSE 0 END, `dismissed_at`
FROM `endpoint_notice` WHERE `account_uuid` IN (SELECT `uuid` FROM `account`);
--> statement-breakpoint
DROP TABLE `endpoint_notice`;--> statement-breakpoint
CREATE UNIQUE INDEX `notice_once_per_change` ON `notice` (`account_uuid`,`subject_kind`,`subject_id`,`fingerprint`,`since`);--> statement-breakpoint
CREATE UNIQUE INDEX `one_open_notice_per_trouble` ON `notice` (`account_uuid`,`subject_kind`,`subject_id`,`fingerprint`) WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX `notices_of_an_account_newest_first` ON `notice` (`account_uuid`,`id`);--> statement-breakpoint
CREATE INDEX `notices_of_a_subject` ON `notice` (`subject_kind`,`subject_id`,`id`);--> statement-breakpoint
CREATE INDEX `notice_mails_due` ON `notice` (`mail_due_at`) WHERE mail_state = 'pending';--> statement-breakpoint
ALTER TABLE `account` ADD `email` text;--> statement-breakpoint
ALTER TABLE `account_setting` ADD `mails_off` text;--> statement-breakpoint
ALTER TABLE `account_setting` ADD `weekly_line` integer DEFAULT 0 NOT NULL CHECK(`weekly_line` IN (0, 1));--> statement-breakpoint
ALTER TABLE `account_setting` ADD `holidays_off` integer DEFAULT 1 NOT NULL CHECK(`holidays_off` IN (0, 1));--> statement-breakpoint
ALTER TABLE `account_setting` ADD `closed_days` text CHECK(json_valid(`closed_days`));--> statement-breakpoint
CREATE INDEX `runs_held` ON `run` (`account_uuid`,`automation_id`) WHERE state = 'held';--> statement-breakpoint
CREATE INDEX `steps_for_a_person` ON `run_step` (`run_id`) WHERE state in ('unknown', 'held');

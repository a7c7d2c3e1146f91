CREATE TABLE `payment_event` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`created_at` integer NOT NULL,
	`received_at` integer NOT NULL,
	`processed_at` integer,
	`failures` integer NOT NULL,
	`error` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `payment_events_by_age` ON `payment_event` (`received_at`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE UNIQUE INDEX `plan_account_uuid_unique` ON `plan` (`account_uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `plan_customer_id_unique` ON `plan` (`customer_id`);--> statement-breakpoint
CREATE TABLE `renewal_payment` (
	`payment_id` text PRIMARY KEY NOT NULL,
	`account_uuid` text NOT NULL,
	`state` text NOT NULL CHECK(`state` IN ('paid', 'applied', 'refunded')),
	`amount` integer NOT NULL CHECK(`amount` >= 0),
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `usage_report` (
	`identifier` text PRIMARY KEY NOT NULL,
	`account_uuid` text NOT NULL,
	`day` integer NOT NULL,
	`count` integer NOT NULL CHECK(`count` >= 0),
	`sent_at` integer,
	`failures` integer NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `usage_report_of_a_day` ON `usage_report` (`account_uuid`,`day`);--> statement-breakpoint
CREATE INDEX `usage_reports_to_send` ON `usage_report` (`created_at`) WHERE sent_at is null;
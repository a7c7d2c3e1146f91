CREATE TABLE `account_key` (
	`account_uuid` text PRIMARY KEY NOT NULL,
	`sealed_with` text NOT NULL,
	`key_sealed` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `audit_of_an_account` ON `audit_entry` (`account_uuid`,`id`);--> statement-breakpoint
CREATE INDEX `audit_by_age` ON `audit_entry` (`at`);
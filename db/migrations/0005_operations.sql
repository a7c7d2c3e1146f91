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
--> statement-breakpoint
CREATE INDEX `newest_of_a_kind` ON `backup_run` (`kind`,`id`);
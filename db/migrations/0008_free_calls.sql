-- One kind more: calls to the platform that no automation made.
CREATE TABLE `usage_day_rebuilt` (
	`account_uuid` text NOT NULL,
	`day` integer NOT NULL,
	`kind` text NOT NULL CHECK(`kind` IN ('api_call', 'free_call', 'webhook_received', 'webhook_forwarded', 'duplicate')),
	`count` integer NOT NULL,
	PRIMARY KEY(`account_uuid`, `day`, `kind`)
) STRICT;
--> statement-breakpoint
INSERT INTO `usage_day_rebuilt` SELECT `account_uuid`, `day`, `kind`, `count` FROM `usage_day`;
--> statement-breakpoint
DROP TABLE `usage_day`;
--> statement-breakpoint
ALTER TABLE `usage_day_rebuilt` RENAME TO `usage_day`;

CREATE TABLE `form_draft` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_uuid` text NOT NULL,
	`token_hash` text NOT NULL,
	`form_sealed` text NOT NULL,
	`weight` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `form_draft_by_token` ON `form_draft` (`token_hash`);--> statement-breakpoint
CREATE INDEX `form_drafts_of_an_account` ON `form_draft` (`account_uuid`);
CREATE TABLE `account_person` (
	`account_uuid` text NOT NULL,
	`staff_uuid` text NOT NULL,
	`role` text NOT NULL CHECK(`role` IN ('owner', 'member')),
	`since` integer NOT NULL,
	PRIMARY KEY(`account_uuid`, `staff_uuid`),
	FOREIGN KEY (`account_uuid`) REFERENCES `account`(`uuid`) ON UPDATE no action ON DELETE cascade
) STRICT;

ALTER TABLE `automation` ADD `at_once` integer DEFAULT 0 NOT NULL CHECK(`at_once` IN (0, 1));

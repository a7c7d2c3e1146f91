ALTER TABLE `message_receipt` ADD `judge_at` integer;--> statement-breakpoint
CREATE INDEX `receipts_to_judge` ON `message_receipt` (`judge_at`) WHERE judge_at is not null;
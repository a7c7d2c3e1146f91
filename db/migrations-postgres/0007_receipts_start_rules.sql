ALTER TABLE message_receipt ADD COLUMN judge_at bigint;
CREATE INDEX receipts_to_judge ON message_receipt (judge_at) WHERE judge_at IS NOT NULL;

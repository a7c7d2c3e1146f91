-- A kind more: messages that did not arrive.
ALTER TABLE notice DROP CONSTRAINT notice_kind_check;
ALTER TABLE notice ADD CONSTRAINT notice_kind_check CHECK (kind IN ('failing', 'stopped', 'recovered', 'waiting', 'silent', 'undelivered', 'reconnect', 'suspended', 'permission', 'plan', 'upstream', 'weekly'));
CREATE INDEX messages_not_arrived ON message_receipt (sent_at) WHERE state IN ('bounced', 'missing');
CREATE INDEX subscriptions_of_an_account ON subscription (account_uuid);

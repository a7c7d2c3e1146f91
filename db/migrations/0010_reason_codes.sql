ALTER TABLE `automation` ADD `paused_reason_code` text;
--> statement-breakpoint
ALTER TABLE `automation` ADD `paused_reason_params` text CHECK(json_valid(`paused_reason_params`));
--> statement-breakpoint
ALTER TABLE `endpoint_notice` ADD `reason_code` text;
--> statement-breakpoint
ALTER TABLE `endpoint_notice` ADD `reason_params` text CHECK(json_valid(`reason_params`));
--> statement-breakpoint
ALTER TABLE `endpoint_notice` ADD `mail_reason_code` text;
--> statement-breakpoint
ALTER TABLE `endpoint_notice` ADD `mail_reason_params` text CHECK(json_valid(`mail_reason_params`));
--> statement-breakpoint
ALTER TABLE `run` ADD `reason_code` text;
--> statement-breakpoint
ALTER TABLE `run` ADD `reason_params` text CHECK(json_valid(`reason_params`));
--> statement-breakpoint
ALTER TABLE `run_step` ADD `reason_code` text;
--> statement-breakpoint
ALTER TABLE `run_step` ADD `reason_params` text CHECK(json_valid(`reason_params`));
--> statement-breakpoint
-- What was said in a sentence until now says it by a code. A sentence that is not known here stays, and is shown as it is.
CREATE TABLE `known_reason` (`text` text PRIMARY KEY NOT NULL, `code` text NOT NULL) STRICT;
--> statement-breakpoint
INSERT INTO `known_reason` VALUES
  ('It may have been sent: ServiceM8 was asked, and no answer came back. It is never repeated by itself. Look in the job diary, then say: it went out, or send it.', 'may_have_been_sent'),
  ('It was tried several times and ServiceM8 still does not have it.', 'never_done'),
  ('Not begun: the step before it did not succeed.', 'previous_failed'),
  ('Not begun: it uses the result of a step that did not succeed.', 'needed_failed'),
  ('Not begun: what it belongs to could not be made.', 'parent_failed'),
  ('There was nothing to do.', 'nothing_to_do'),
  ('Cancelled before it was sent.', 'cancelled_before_sent'),
  ('Not sent: the automation was switched off in the meantime.', 'switched_off_meanwhile'),
  ('Not sent: the automation was deleted in the meantime.', 'deleted_meanwhile'),
  ('Not sent: the conditions no longer hold.', 'conditions_no_longer_met'),
  ('Not sent: the record no longer exists in ServiceM8.', 'record_gone'),
  ('Somebody looked and says that it went out.', 'went_out'),
  ('ServiceM8 was asked, and no clear answer came back.', 'no_clear_answer'),
  ('ServiceM8 was asked, and no clear answer came back. It is tried again.', 'no_clear_answer_again'),
  ('A fault on our side broke this off, and it may have been done.', 'broken_off'),
  ('Looking whether it was done failed on our side.', 'not_looked'),
  ('This rule asks you first, each time.', 'ask_first'),
  ('Waits for you.', 'held'),
  ('A message may have been sent, and later steps depend on it. Settle it, and the rest goes on.', 'message_unclear'),
  ('Waits before it tries again.', 'waiting'),
  ('Collected. It runs at its scheduled time.', 'collected'),
  ('Nothing was done: the record was deleted before the automation came to it.', 'records_gone'),
  ('Nothing was done: the list was empty.', 'empty_list'),
  ('The automation was switched off before this run began.', 'switched_off'),
  ('The automation was deleted before this run began.', 'deleted'),
  ('The automation was deleted.', 'rule_deleted'),
  ('The account was erased.', 'account_erased'),
  ('What the automation said at that time is no longer known.', 'version_gone'),
  ('Cancelled by a person.', 'cancelled'),
  ('Discarded by a person.', 'discarded'),
  ('The automation has no actions.', 'no_steps'),
  ('A person said: go on.', 'released'),
  ('Held: this run was set off by a change that other rules made, three in a row. They may be going round in a circle.', 'hop_limit'),
  ('It waited more than 72 hours because nothing was sent for the account. Look whether it still makes sense, then let it go on.', 'too_old'),
  ('ServiceM8 no longer accepts our connection. Please click Reconnect in the Webhook Manager.', 'reconnect'),
  ('The ServiceM8 account is suspended. The automation goes on when ServiceM8 accepts calls again.', 'suspended'),
  ('ServiceM8''s own limit for messages is reached. It goes on by itself when ServiceM8 accepts messages again.', 'message_limit'),
  ('ServiceM8 allows only so many calls a minute. It goes on by itself in a moment.', 'call_limit'),
  ('Stopped: this rule has run three times for the same record within ten minutes. Look at what sets it off, then switch it on again.', 'breaker');
--> statement-breakpoint
UPDATE `run` SET `reason_code` = (SELECT `code` FROM `known_reason` WHERE `text` = `run`.`reason`)
WHERE `reason` IN (SELECT `text` FROM `known_reason`);
--> statement-breakpoint
UPDATE `run_step` SET `reason_code` = (SELECT `code` FROM `known_reason` WHERE `text` = `run_step`.`sentence`)
WHERE `sentence` IN (SELECT `text` FROM `known_reason`);
--> statement-breakpoint
UPDATE `automation` SET `paused_reason_code` = (SELECT `code` FROM `known_reason` WHERE `text` = `automation`.`paused_reason`)
WHERE `paused_reason` IN (SELECT `text` FROM `known_reason`);
--> statement-breakpoint
DROP TABLE `known_reason`;
--> statement-breakpoint
UPDATE `run` SET `reason_code` = 'scope', `reason_params` = json_object('scope', substr(`reason`, length('We may not do this in ServiceM8: the permission ') + 1, length(`reason`) - length('We may not do this in ServiceM8: the permission ') - length(' is missing. Please click Reconnect in the Webhook Manager to give it.')), 'message', '')
WHERE `reason_code` IS NULL AND `reason` LIKE 'We may not do this in ServiceM8: the permission % is missing. Please click Reconnect in the Webhook Manager to give it.';
--> statement-breakpoint
UPDATE `run` SET `reason_code` = 'scope', `reason_params` = json_object('scope', NULL, 'message', substr(`reason`, length('We may not do this in ServiceM8: ServiceM8 says "') + 1, length(`reason`) - length('We may not do this in ServiceM8: ServiceM8 says "') - length('". Please click Reconnect in the Webhook Manager to give it.')))
WHERE `reason_code` IS NULL AND `reason` LIKE 'We may not do this in ServiceM8: ServiceM8 says "%". Please click Reconnect in the Webhook Manager to give it.';
--> statement-breakpoint
UPDATE `run` SET `reason_code` = 'rule_daily_cap', `reason_params` = json_object('limit', CAST(substr(`reason`, length('Held: this rule has sent ') + 1) AS INTEGER))
WHERE `reason_code` IS NULL AND `reason` LIKE 'Held: this rule has sent % message% to customers today, its limit for a day.';
--> statement-breakpoint
UPDATE `run` SET `reason_code` = 'account_daily_cap', `reason_params` = json_object('limit', CAST(substr(`reason`, length('Held: your rules have sent ') + 1) AS INTEGER))
WHERE `reason_code` IS NULL AND `reason` LIKE 'Held: your rules have sent % message% to customers today, the limit for a day.';
--> statement-breakpoint
UPDATE `run` SET `reason_code` = 'flood', `reason_params` = json_object('limit', CAST(substr(`reason`, length('Held: this rule has sent ') + 1) AS INTEGER))
WHERE `reason_code` IS NULL AND `reason` LIKE 'Held: this rule has sent % message% to customers within an hour. Is that right?';
--> statement-breakpoint
UPDATE `run` SET `reason_code` = 'done_before', `reason_params` = json_object('once', substr(`reason`, length('Done before. This automation runs ') + 1, length(`reason`) - length('Done before. This automation runs ') - length('.')))
WHERE `reason_code` IS NULL AND `reason` LIKE 'Done before. This automation runs %.';
--> statement-breakpoint
UPDATE `run_step` SET `reason_code` = 'scope', `reason_params` = json_object('scope', substr(`sentence`, length('We may not do this in ServiceM8: the permission ') + 1, length(`sentence`) - length('We may not do this in ServiceM8: the permission ') - length(' is missing. Please click Reconnect in the Webhook Manager to give it.')), 'message', '')
WHERE `reason_code` IS NULL AND `sentence` LIKE 'We may not do this in ServiceM8: the permission % is missing. Please click Reconnect in the Webhook Manager to give it.';
--> statement-breakpoint
UPDATE `run_step` SET `reason_code` = 'scope', `reason_params` = json_object('scope', NULL, 'message', substr(`sentence`, length('We may not do this in ServiceM8: ServiceM8 says "') + 1, length(`sentence`) - length('We may not do this in ServiceM8: ServiceM8 says "') - length('". Please click Reconnect in the Webhook Manager to give it.')))
WHERE `reason_code` IS NULL AND `sentence` LIKE 'We may not do this in ServiceM8: ServiceM8 says "%". Please click Reconnect in the Webhook Manager to give it.';
--> statement-breakpoint
UPDATE `run_step` SET `reason_code` = 'rule_daily_cap', `reason_params` = json_object('limit', CAST(substr(`sentence`, length('Held: this rule has sent ') + 1) AS INTEGER))
WHERE `reason_code` IS NULL AND `sentence` LIKE 'Held: this rule has sent % message% to customers today, its limit for a day.';
--> statement-breakpoint
UPDATE `run_step` SET `reason_code` = 'account_daily_cap', `reason_params` = json_object('limit', CAST(substr(`sentence`, length('Held: your rules have sent ') + 1) AS INTEGER))
WHERE `reason_code` IS NULL AND `sentence` LIKE 'Held: your rules have sent % message% to customers today, the limit for a day.';
--> statement-breakpoint
UPDATE `run_step` SET `reason_code` = 'flood', `reason_params` = json_object('limit', CAST(substr(`sentence`, length('Held: this rule has sent ') + 1) AS INTEGER))
WHERE `reason_code` IS NULL AND `sentence` LIKE 'Held: this rule has sent % message% to customers within an hour. Is that right?';
--> statement-breakpoint
UPDATE `automation` SET `paused_reason_code` = 'scope', `paused_reason_params` = json_object('scope', substr(`paused_reason`, length('We may not do this in ServiceM8: the permission ') + 1, length(`paused_reason`) - length('We may not do this in ServiceM8: the permission ') - length(' is missing. Please click Reconnect in the Webhook Manager to give it.')), 'message', '')
WHERE `paused_reason_code` IS NULL AND `paused_reason` LIKE 'We may not do this in ServiceM8: the permission % is missing. Please click Reconnect in the Webhook Manager to give it.';
--> statement-breakpoint
UPDATE `automation` SET `paused_reason_code` = 'scope', `paused_reason_params` = json_object('scope', NULL, 'message', substr(`paused_reason`, length('We may not do this in ServiceM8: ServiceM8 says "') + 1, length(`paused_reason`) - length('We may not do this in ServiceM8: ServiceM8 says "') - length('". Please click Reconnect in the Webhook Manager to give it.')))
WHERE `paused_reason_code` IS NULL AND `paused_reason` LIKE 'We may not do this in ServiceM8: ServiceM8 says "%". Please click Reconnect in the Webhook Manager to give it.';
--> statement-breakpoint
UPDATE `run` SET `reason` = NULL WHERE `reason_code` IS NOT NULL;
--> statement-breakpoint
UPDATE `run_step` SET `sentence` = NULL WHERE `reason_code` IS NOT NULL;
--> statement-breakpoint
UPDATE `automation` SET `paused_reason` = NULL WHERE `paused_reason_code` IS NOT NULL;
--> statement-breakpoint
UPDATE `endpoint_notice` SET `reason_code` = 'recovered' WHERE `kind` = 'recovered' AND `sentence` = 'Events arrive at your address again.';
--> statement-breakpoint
UPDATE `endpoint_notice` SET `reason_code` = 'failing', `reason_params` = json_object('said', substr(`sentence`, 1, length(`sentence`) - length(' Events are kept and tried again for 72 hours.')))
WHERE `kind` = 'failing' AND `sentence` LIKE '% Events are kept and tried again for 72 hours.';
--> statement-breakpoint
UPDATE `endpoint_notice` SET `reason_code` = 'given_up', `reason_params` = json_object('said', substr(`sentence`, 1, length(`sentence`) - length(' We have stopped trying; new events are kept.')))
WHERE `kind` = 'stopped' AND `sentence` LIKE '% We have stopped trying; new events are kept.';
--> statement-breakpoint
UPDATE `endpoint_notice` SET `reason_code` = 'stopped', `reason_params` = json_object('said', `sentence`)
WHERE `kind` = 'stopped' AND `reason_code` IS NULL;
--> statement-breakpoint
UPDATE `endpoint_notice` SET `sentence` = '' WHERE `reason_code` IS NOT NULL;
--> statement-breakpoint
UPDATE `endpoint_notice` SET `mail_reason_code` = CASE `mail_sentence`
  WHEN 'No e-mail: they are switched off.' THEN 'off'
  WHEN 'No e-mail. E-mails go through ServiceM8, which is not connected at present. Sign in again to get them.' THEN 'not_connected'
  WHEN 'No e-mail. ServiceM8 has not been allowed to send e-mails for Fieldhook. Sign in again and allow it.' THEN 'not_allowed'
  WHEN 'No e-mail: it was over before one could be sent.' THEN 'superseded'
  WHEN 'No e-mail: 5 were sent within 24 hours already.' THEN 'too_many'
  WHEN 'No e-mail: ServiceM8 has no e-mail address for your account. Enter one under “Notices by e-mail”.' THEN 'no_address'
  WHEN 'The e-mail may not have been sent: ServiceM8 did not say. It is not repeated.' THEN 'unclear'
  WHEN 'The account was erased.' THEN 'account_erased'
END;
--> statement-breakpoint
UPDATE `endpoint_notice` SET `mail_reason_code` = 'sent', `mail_reason_params` = json_object('to', substr(`mail_sentence`, length('E-mail sent to ') + 1, length(`mail_sentence`) - length('E-mail sent to ') - length('.')))
WHERE `mail_reason_code` IS NULL AND `mail_sentence` LIKE 'E-mail sent to %.';
--> statement-breakpoint
UPDATE `endpoint_notice` SET `mail_reason_code` = 'refused', `mail_reason_params` = json_object('message', substr(`mail_sentence`, length('No e-mail: ') + 1, length(`mail_sentence`) - length('No e-mail: ') - length('')))
WHERE `mail_reason_code` IS NULL AND `mail_sentence` LIKE 'No e-mail: %';
--> statement-breakpoint
UPDATE `endpoint_notice` SET `mail_reason_code` = 'again', `mail_reason_params` = json_object('message', substr(`mail_sentence`, length('The e-mail is tried again: ') + 1, length(`mail_sentence`) - length('The e-mail is tried again: ') - length('')))
WHERE `mail_reason_code` IS NULL AND `mail_sentence` LIKE 'The e-mail is tried again: %';
--> statement-breakpoint
UPDATE `endpoint_notice` SET `mail_sentence` = NULL WHERE `mail_reason_code` IS NOT NULL;
--> statement-breakpoint
UPDATE `plan` SET `hold_reason` = CASE `hold_reason`
  WHEN 'Trial ended: subscribe to resume' THEN 'trial_ended'
  WHEN 'Payment failed: pay to resume' THEN 'payment_failed'
  WHEN 'Subscription ended: subscribe to resume' THEN 'subscription_ended'
  ELSE `hold_reason`
END WHERE `hold_reason` IS NOT NULL;

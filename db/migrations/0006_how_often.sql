ALTER TABLE `account` ADD `repeats_told` integer DEFAULT 1 NOT NULL CHECK(`repeats_told` IN (0, 1));
--> statement-breakpoint
-- A rule that is called kept its record by job and date, whichever period was chosen: from now on it says so.
UPDATE `automation` SET `definition` = json_set(`definition`, '$.once', 'value:date')
WHERE `trigger_source` = 'manual_endpoint' AND json_extract(`definition`, '$.once') IN ('record', 'day', 'week', 'month', 'period');
--> statement-breakpoint
-- A rule on events looks at no list: "each time it looks" was each change.
UPDATE `automation` SET `definition` = json_set(`definition`, '$.once', 'change')
WHERE `trigger_source` = 'webhook' AND json_extract(`definition`, '$.once') = 'period';
--> statement-breakpoint
UPDATE `automation_version` SET `definition` = (
  SELECT `definition` FROM `automation` WHERE `id` = `automation_version`.`automation_id`
) WHERE EXISTS (
  SELECT 1 FROM `automation` WHERE `id` = `automation_version`.`automation_id` AND `version` = `automation_version`.`version`
    AND json_extract(`automation`.`definition`, '$.once') <> json_extract(`automation_version`.`definition`, '$.once')
);
--> statement-breakpoint
-- Whose rules can write to a customer about the same record again is told so, once.
UPDATE `account` SET `repeats_told` = 0 WHERE `uuid` IN (
  SELECT `account_uuid` FROM `automation`
  WHERE `deleted_at` IS NULL AND json_extract(`definition`, '$.once') <> 'record'
    AND (`trigger_source` = 'webhook'
      OR (`trigger_source` = 'api_polling' AND json_extract(`definition`, '$.trigger.interval') <> 'on_demand'))
    AND EXISTS (
      SELECT 1 FROM json_each(`automation`.`definition`, '$.steps') AS `step`
      WHERE json_extract(`step`.`value`, '$.type') IN ('send_sms', 'send_email')
    )
);

-- "Jobs" now reads deleted jobs too. A rule that was made before keeps what it does: it reads the active ones, and says so.
UPDATE `automation` SET `definition` = json_set(`definition`, '$.trigger.endpoint', '/api_1.0/job.json?$filter=active eq ''1''')
WHERE json_extract(`definition`, '$.trigger.endpoint') = '/api_1.0/job.json';
--> statement-breakpoint
UPDATE `automation_version` SET `definition` = json_set(`definition`, '$.trigger.endpoint', '/api_1.0/job.json?$filter=active eq ''1''')
WHERE json_extract(`definition`, '$.trigger.endpoint') = '/api_1.0/job.json';

INSERT INTO "BotAlerts" ("KeyHash", "RuleName", "GroupName", "State", "StartedAt", "LastAt", "EndedAt", "SentAt", "Events", "Occurrence", "Memory")
SELECT j."Hash", j."RuleText", j."Grouping", j."Status", j."Began", j."Latest", j."Ended", j."Sent", j."Tally", j."Turn", j."Memory"
FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" text, "RuleText" text, "Grouping" text, "Status" text, "Began" timestamptz, "Latest" timestamptz, "Ended" timestamptz, "Sent" timestamptz, "Tally" bigint, "Turn" bigint, "Memory" text);

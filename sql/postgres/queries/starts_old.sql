-- starts_old: remove a limited number of starts that are older than all periods, or whose queue no
-- longer has limits.
-- In:  rows [{QueueName, KeepMs}], limit_rows, now (NULL: the database clock)
DELETE FROM "BotQueueStarts" WHERE "Id" IN (
    SELECT s."Id"
    FROM "BotQueueStarts" s LEFT JOIN json_to_recordset(CAST(@rows AS json)) AS j("QueueName" text, "KeepMs" bigint) ON j."QueueName" = s."QueueName"
    WHERE s."StartedAt" IS NOT NULL AND (j."QueueName" IS NULL OR s."StartedAt" <= {{now_minus ms=j."KeepMs"}})
    LIMIT @limit_rows);

DELETE FROM "BotQueueStarts" WHERE "Id" IN (
    SELECT s."Id"
    FROM "BotQueueStarts" s LEFT JOIN json_to_recordset(CAST(@rows AS json)) AS j("QueueName" text, "KeepMs" bigint) ON j."QueueName" = s."QueueName"
    WHERE s."StartedAt" IS NOT NULL AND (j."QueueName" IS NULL OR s."StartedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - j."KeepMs" * INTERVAL '1 millisecond')
    LIMIT @limit_rows);

UPDATE BotWorkQueueItems SET
    TimedKey = NULL,
    TimedUntil = NULL
WHERE TimedKey IN (SELECT j.Hash FROM OPENJSON(@rows) WITH (Hash NVARCHAR(64) '$.Hash') j)
  AND (TimedUntil IS NULL OR TimedUntil <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))));

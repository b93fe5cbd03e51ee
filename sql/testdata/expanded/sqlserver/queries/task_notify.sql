UPDATE BotWorkQueueItems SET
    TaskNotifiedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
OUTPUT inserted.Id
WHERE State = 3 AND TaskNotifiedAt IS NULL
  AND Id IN (SELECT j.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j);

WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."State" = 3 THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
)
UPDATE "BotWorkQueueItems" SET
    "TaskNotifiedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE CASE WHEN "State" = 3 AND "TaskNotifiedAt" IS NULL THEN TRUE ELSE FALSE END
  AND "Id" IN (SELECT j."ItemId" FROM j)
RETURNING "Id";

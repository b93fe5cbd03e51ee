WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."State" IN (0, 4, 5) THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 3,
    "ErrorKind" = 'expired',
    "Error" = CASE WHEN "FinishBy" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN CAST(@finish_text AS text) WHEN "DeadlineAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN CAST(@deadline_text AS text) ELSE CAST(@life_text AS text) END,
    "FinishedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "LeaseExpiresAt" = NULL
WHERE "Id" IN (SELECT j."ItemId" FROM j)
  AND CASE WHEN "State" IN (0, 4, 5) AND "DeletedAt" IS NULL
    AND ("DeadlineAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) OR "ExpiresAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))) THEN TRUE ELSE FALSE END
RETURNING "Id";

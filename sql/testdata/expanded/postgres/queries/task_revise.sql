WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "OldState" int, "OldPrio" int, "NewPrio" int)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."State" = r."OldState" THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "Priority" = j."NewPrio",
    "TaskPriority" = j."NewPrio"
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "State" = j."OldState" AND "Priority" = j."OldPrio"
  AND "State" IN (0, 4) AND ("TaskPriority" IS NULL OR "TaskPriority" = "Priority") THEN TRUE ELSE FALSE END;

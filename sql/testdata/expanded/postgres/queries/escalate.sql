WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "OldState" int, "OldVersion" bigint, "OldPrio" bigint, "NewPrio" bigint, "SetsSelectors" int, "SelectorText" text, "Expedited" int)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."Version" = r."OldVersion" AND i."State" = r."OldState" THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "Priority" = j."NewPrio",
    "TaskPriority" = CASE WHEN "TaskPriority" = "Priority" THEN j."NewPrio" ELSE "TaskPriority" END,
    "Selectors" = CASE WHEN j."SetsSelectors" = 1 THEN j."SelectorText" ELSE "Selectors" END,
    "Expedite" = CASE WHEN j."SetsSelectors" = 1 THEN j."Expedited" = 1 ELSE "Expedite" END
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "Version" = j."OldVersion" AND "State" = j."OldState" AND "Priority" = j."OldPrio"
  AND ("State" IN (0, 4) OR "State" = 5 AND j."SetsSelectors" = 0) AND "DeletedAt" IS NULL AND "AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN TRUE ELSE FALSE END;

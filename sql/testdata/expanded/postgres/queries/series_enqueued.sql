INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Pipeline", "Band", "Event", "Events")
SELECT e."CreatedAt", e."QueueName", e."Pipeline", e."Band", 'enqueued', COUNT(*)
FROM (
    SELECT i."CreatedAt", i."QueueName", CASE WHEN length(i."IntegrationConfig") <= 200 THEN i."IntegrationConfig" ELSE '' END AS "Pipeline", CASE WHEN i."Priority" > 1000 THEN 'high' WHEN i."Priority" >= 500 THEN 'medium' ELSE 'low' END AS "Band"
    FROM "BotWorkQueueItems" i
    WHERE i."Id" = ANY(ARRAY(SELECT j."ItemId" FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint)))
) e
GROUP BY e."CreatedAt", e."QueueName", e."Pipeline", e."Band";

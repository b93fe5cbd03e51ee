-- The text of its pipeline that an item ran, and that each attempt ran that did not
-- simply succeed. Present is yes if it is the latest text that workers had. Body is
-- empty if no text is kept: an inline pipeline is stored in the item, and clean-up
-- removes a text that no worker has had for a long time.
WITH ran AS (
    SELECT 0 AS "AttemptNumber", 0 AS "AttemptId", 'last run' AS "What", i."IntegrationConfig", i."PipelineHash", i."StartedAt"
    FROM "BotWorkQueueItems" i
    WHERE i."Id" = 1 -- the item's id
    UNION ALL
    SELECT a."AttemptNumber", a."Id", a."Outcome", i."IntegrationConfig", a."PipelineHash", a."StartedAt"
    FROM "BotWorkItemAttempts" a JOIN "BotWorkQueueItems" i ON i."Id" = a."ItemId"
    WHERE a."ItemId" = 1 -- the item's id
)
SELECT r."AttemptNumber", r."What", r."StartedAt", r."PipelineHash",
    CASE WHEN t."Hash" IS NULL THEN NULL
         WHEN EXISTS (SELECT 1 FROM "BotPipelineTexts" o WHERE o."Pipeline" = t."Pipeline" AND o."UsedAt" > t."UsedAt") THEN 'no'
         ELSE 'yes' END AS "Present",
    t."LoadedAt", t."UsedAt", t."Body"
FROM ran r
LEFT JOIN "BotPipelineTexts" t ON t."Hash" = r."PipelineHash" AND t."Pipeline" = r."IntegrationConfig"
ORDER BY r."AttemptNumber", r."AttemptId";

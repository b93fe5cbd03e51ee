SELECT u."QueueName", u."Pipeline", u."Band", COALESCE(w."Name", ''), SUM(u."Waits"), MIN(u."DueAt"), SUM(u."Runs")
FROM (
        SELECT i."QueueName", CASE WHEN length(i."IntegrationConfig") <= 200 THEN i."IntegrationConfig" ELSE '' END AS "Pipeline", CASE WHEN i."Priority" > 1000 THEN 'high' WHEN i."Priority" >= 500 THEN 'medium' ELSE 'low' END AS "Band", CAST(NULL AS bigint) AS "WorkerId",
            COUNT(*) AS "Waits", MIN(i."AvailableAt") AS "DueAt", 0 AS "Runs"
        FROM "BotWorkQueueItems" i
        WHERE i."State" IN (0, 4) AND i."Fence" >= 0 AND i."DeadlineAt" IS NULL AND i."DeletedAt" IS NULL AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
        GROUP BY i."QueueName", CASE WHEN length(i."IntegrationConfig") <= 200 THEN i."IntegrationConfig" ELSE '' END, CASE WHEN i."Priority" > 1000 THEN 'high' WHEN i."Priority" >= 500 THEN 'medium' ELSE 'low' END
        UNION ALL
        SELECT i."QueueName", CASE WHEN length(i."IntegrationConfig") <= 200 THEN i."IntegrationConfig" ELSE '' END AS "Pipeline", CASE WHEN i."Priority" > 1000 THEN 'high' WHEN i."Priority" >= 500 THEN 'medium' ELSE 'low' END AS "Band", CAST(NULL AS bigint) AS "WorkerId",
            COUNT(*) AS "Waits", MIN(i."AvailableAt") AS "DueAt", 0 AS "Runs"
        FROM "BotWorkQueueItems" i
        WHERE i."State" IN (0, 4) AND i."Fence" >= 0 AND i."DeadlineAt" IS NOT NULL AND i."DeletedAt" IS NULL AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
        GROUP BY i."QueueName", CASE WHEN length(i."IntegrationConfig") <= 200 THEN i."IntegrationConfig" ELSE '' END, CASE WHEN i."Priority" > 1000 THEN 'high' WHEN i."Priority" >= 500 THEN 'medium' ELSE 'low' END
        UNION ALL
        SELECT i."QueueName", CASE WHEN length(i."IntegrationConfig") <= 200 THEN i."IntegrationConfig" ELSE '' END AS "Pipeline", CASE WHEN i."Priority" > 1000 THEN 'high' WHEN i."Priority" >= 500 THEN 'medium' ELSE 'low' END AS "Band", i."WorkerId" AS "WorkerId",
            COUNT(*) AS "Waits", MIN(i."AvailableAt") AS "DueAt", 0 AS "Runs"
        FROM "BotWorkQueueItems" i
        WHERE i."State" = 5 AND i."DeletedAt" IS NULL
        GROUP BY i."QueueName", CASE WHEN length(i."IntegrationConfig") <= 200 THEN i."IntegrationConfig" ELSE '' END, CASE WHEN i."Priority" > 1000 THEN 'high' WHEN i."Priority" >= 500 THEN 'medium' ELSE 'low' END, i."WorkerId"
        UNION ALL
        SELECT i."QueueName", CASE WHEN length(i."IntegrationConfig") <= 200 THEN i."IntegrationConfig" ELSE '' END AS "Pipeline", CASE WHEN i."Priority" > 1000 THEN 'high' WHEN i."Priority" >= 500 THEN 'medium' ELSE 'low' END AS "Band", i."WorkerId" AS "WorkerId",
            0 AS "Waits", CAST(NULL AS timestamptz) AS "DueAt", COUNT(*) AS "Runs"
        FROM "BotWorkQueueItems" i
        WHERE i."State" = 1 AND i."DeletedAt" IS NULL
        GROUP BY i."QueueName", CASE WHEN length(i."IntegrationConfig") <= 200 THEN i."IntegrationConfig" ELSE '' END, CASE WHEN i."Priority" > 1000 THEN 'high' WHEN i."Priority" >= 500 THEN 'medium' ELSE 'low' END, i."WorkerId"
    ) u
LEFT JOIN "BotWorkers" w ON w."Id" = u."WorkerId"
GROUP BY u."QueueName", u."Pipeline", u."Band", COALESCE(w."Name", '');

-- assigned_items: items of a band that are assigned and have not started, the most
-- urgent first.
-- In:  min_priority, max_priority, limit_rows
-- Out: as due gives them, then the worker.
SELECT i."Id", i."Priority", i."DeadlineAt", COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs"), substr(i."IntegrationConfig", 1, 200), i."QueueName",
    0, NULL, i."AvailableAt", i."Labels", i."Selectors", i."Expedite", NULL, NULL, i."WorkerId"
FROM "BotWorkQueueItems" i
WHERE i."State" = 5 AND i."WorkerId" IS NOT NULL AND i."DeletedAt" IS NULL
  AND i."Priority" BETWEEN @min_priority AND @max_priority
ORDER BY i."Priority" DESC, i."RunOrder", i."Id"
LIMIT @limit_rows;

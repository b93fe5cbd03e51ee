SELECT i."Id", i."QueueName", i."State", CASE WHEN i."DeletedAt" IS NULL THEN 0 ELSE 1 END,
    CASE WHEN length(i."IntegrationConfig") <= 200 THEN i."IntegrationConfig" ELSE '' END, i."Priority", i."WorkerId", i."StartedAt", i."AvailableAt", i."FinishedAt", i."ErrorKind"
FROM "BotWorkQueueItems" i
WHERE i."Id" = ANY(ARRAY(SELECT j."ItemId" FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint)))
ORDER BY i."Id"
FOR UPDATE;

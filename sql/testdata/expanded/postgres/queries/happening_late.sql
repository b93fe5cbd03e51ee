SELECT r."Id", r."StartedAt", NULL, r."Pipeline", NULL, NULL, NULL, w."Name", r."PlannedAt", NULL
FROM "BotPipelineRuns" r
LEFT JOIN "BotWorkers" w ON w."Id" = r."WorkerId"
WHERE r."StartedAt" >= CAST(@since AS timestamptz) AND r."PlannedAt" IS NOT NULL AND r."TriggerName" <> 'backfill'
  AND r."PlannedAt" < r."StartedAt" - CAST(@late_ms AS bigint) * INTERVAL '1 millisecond'
  AND NOT EXISTS (SELECT 1 FROM "BotNotificationSeen" s WHERE s."Source" = 'late' AND s."RefId" = r."Id" AND s."At" = r."StartedAt")
ORDER BY r."StartedAt", r."Id"
LIMIT @limit_rows;

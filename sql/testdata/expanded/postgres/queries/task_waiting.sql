SELECT i."Id", i."TaskName", COALESCE(i."TaskScope", ''), i."QueueName", i."Priority", COALESCE(i."TaskPlannedAt", i."CreatedAt"), i."DeadlineAt"
FROM "BotWorkQueueItems" i
WHERE i."State" IN (0, 4) AND i."TaskName" IS NOT NULL
  AND i."State" = @state AND i."Id" > @after_id AND i."DeletedAt" IS NULL
  AND (i."TaskPriority" IS NULL OR i."TaskPriority" = i."Priority")
  AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
ORDER BY i."Id"
LIMIT @limit_rows;

SELECT i."Id", i."Fence", i."QueueName", i."Priority", i."NaturalKey", i."UniqueKey",
    CASE WHEN EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND q."PayloadSchema" IS NOT NULL) THEN i."Payload" END
FROM "BotWorkQueueItems" i
WHERE i."State" IN (0, 4) AND NOT i."PoliciesApplied" AND i."Fence" = 0 AND i."DeletedAt" IS NULL
  AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
ORDER BY i."Id"
LIMIT @limit_rows;

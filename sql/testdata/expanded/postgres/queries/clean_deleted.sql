SELECT c."Id", c."Fence", c."State", CASE WHEN c."DeletedAt" IS NULL THEN 0 ELSE 1 END,
    (SELECT COUNT(*) FROM "BotWorkItemAttempts" a WHERE a."ItemId" = c."Id")
FROM "BotWorkQueueItems" c
WHERE c."DeletedAt" IS NOT NULL AND c."DeletedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' AND c."State" IN (2, 3)
ORDER BY c."DeletedAt", c."Id"
LIMIT @limit_rows
FOR UPDATE OF c SKIP LOCKED;

DELETE FROM "BotScheduleFirings"
WHERE "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotScheduleFirings" c
    WHERE c."PlannedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' AND c."RecordedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond'
      AND (EXISTS (SELECT 1 FROM "BotScheduleFirings" n
              WHERE n."Schedule" = c."Schedule" AND n."WorkerName" = c."WorkerName" AND n."PlannedAt" > c."PlannedAt" AND n."Reason" <> 'backfill')
          OR c."WorkerName" <> '' AND c."Schedule" NOT LIKE 'task:%'
              AND NOT EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Name" = c."WorkerName"))
      AND NOT EXISTS (SELECT 1 FROM "BotTasks" t
          WHERE c."Schedule" LIKE 'task:%' AND t."Name" = substr(c."Schedule", 6) AND t."SettledUntil" <= c."PlannedAt")
    ORDER BY c."PlannedAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE OF c SKIP LOCKED));

SELECT 'queue', 0, q."Name", '', q."Revision", CASE WHEN q."Paused" THEN 1 ELSE 0 END
FROM "BotQueues" q
UNION ALL
SELECT 'worker', w."Id", w."Name", w."State", 0,
    CASE WHEN w."State" <> 'stopped' AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))) THEN 1 ELSE 0 END
FROM "BotWorkers" w
UNION ALL
SELECT 'run', r."Id", r."Pipeline", r."Outcome", 0, 0
FROM (
    SELECT l."Id", l."Pipeline", l."Outcome"
    FROM "BotPipelineRuns" l
    ORDER BY l."Id" DESC
    LIMIT @limit_rows
) r;

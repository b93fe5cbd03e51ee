INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Pipeline", "Band", "WorkerId", "Event", "Kind", "Bucket", "Events", "DurationMs")
SELECT COALESCE(CAST(j.value ->> 0 AS timestamptz), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))), j.value ->> 1, j.value ->> 2, j.value ->> 3, CAST(j.value ->> 4 AS bigint),
    j.value ->> 5, j.value ->> 6, CAST(j.value ->> 7 AS int), CAST(j.value ->> 8 AS bigint), CAST(j.value ->> 9 AS bigint)
FROM json_array_elements(CAST(@rows AS json)) AS j;

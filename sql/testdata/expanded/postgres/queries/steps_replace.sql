WITH held AS MATERIALIZED (
    SELECT i."Id", i."Fence" FROM "BotWorkQueueItems" i
    WHERE i."Id" = CAST(@item AS bigint) AND i."Fence" = CAST(@fence AS bigint) AND i."State" = 1
    FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE "BotWorkItemSteps" SET
    "Data" = j."Data",
    "Fence" = h."Fence",
    "RecordedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM held h
CROSS JOIN json_to_recordset(CAST(@rows AS json)) AS j("Ordinal" int, "Step" text, "Data" text)
WHERE "BotWorkItemSteps"."ItemId" = h."Id" AND "BotWorkItemSteps"."Step" = j."Step";

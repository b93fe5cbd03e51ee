WITH held AS MATERIALIZED (
    SELECT i."Id", i."Fence" FROM "BotWorkQueueItems" i
    WHERE i."Id" = CAST(@item AS bigint) AND i."Fence" = CAST(@fence AS bigint) AND i."State" = 1
    FOR NO KEY UPDATE SKIP LOCKED
)
INSERT INTO "BotWorkItemSteps" ("ItemId", "Number", "Step", "Data", "Fence", "RecordedAt")
SELECT h."Id", j."Ordinal" + COALESCE((SELECT MAX(m."Number") FROM "BotWorkItemSteps" m WHERE m."ItemId" = h."Id"), 0), j."Step", j."Data", h."Fence", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM held h
CROSS JOIN json_to_recordset(CAST(@rows AS json)) AS j("Ordinal" int, "Step" text, "Data" text)
WHERE NOT EXISTS (SELECT 1 FROM "BotWorkItemSteps" s WHERE s."ItemId" = h."Id" AND s."Step" = j."Step");

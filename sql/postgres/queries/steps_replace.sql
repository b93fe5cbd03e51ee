-- steps_replace: replace records of steps of a running item.
-- In:  item, fence, rows [{Ordinal, Step, Data}], now (NULL: the database clock)
-- The item is locked until the record is written, so that the lease cannot end in between. An item that another
-- session holds is passed over: see lock_rows.
WITH held AS MATERIALIZED (
    SELECT i."Id", i."Fence" FROM "BotWorkQueueItems" i
    WHERE i."Id" = CAST(@item AS bigint) AND i."Fence" = CAST(@fence AS bigint) AND i."State" = 1
    FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE "BotWorkItemSteps" SET
    "Data" = j."Data",
    "Fence" = h."Fence",
    "RecordedAt" = {{now}}
FROM held h
CROSS JOIN json_to_recordset(CAST(@rows AS json)) AS j("Ordinal" int, "Step" text, "Data" text)
WHERE "BotWorkItemSteps"."ItemId" = h."Id" AND "BotWorkItemSteps"."Step" = j."Step";

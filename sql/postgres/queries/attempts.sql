-- attempts: insert attempts that did not simply succeed, with columns of their items. A robot is
-- recorded like a worker, without a host.
-- In:  rows [{ItemId, Number, ItemFence, Result, HolderId, StepName, ErrorText, Kind,
--      Unbegun (1: the run had not started)}], now (NULL: the database clock)
INSERT INTO "BotWorkItemAttempts"
    ("ItemId", "AttemptNumber", "Fence", "Outcome", "WorkerId", "WorkerName", "Host", "Step", "Progress", "LogTail", "StepTimes", "PipelineHash", "Error", "ErrorKind", "StartedAt", "FinishedAt")
SELECT j."ItemId", j."Number", j."ItemFence", j."Result", j."HolderId", CASE WHEN j."HolderId" IS NULL THEN i."Robot" ELSE w."Name" END,
    CASE WHEN j."HolderId" IS NULL AND i."Robot" IS NOT NULL THEN '' ELSE w."Host" END, COALESCE(j."StepName", i."Step"), i."Progress", i."LogTail", i."StepTimes", i."PipelineHash", j."ErrorText", j."Kind", CASE WHEN j."Unbegun" = 1 THEN NULL ELSE i."StartedAt" END,
    {{now}}
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "Number" int, "ItemFence" bigint, "Result" text, "HolderId" bigint, "StepName" text, "ErrorText" text,
    "Kind" text, "Unbegun" int)
JOIN "BotWorkQueueItems" i ON i."Id" = j."ItemId"
LEFT JOIN "BotWorkers" w ON w."Id" = j."HolderId";

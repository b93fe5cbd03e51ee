UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "TaskName" = j."Task",
    "TaskScope" = j."Scope",
    "TaskPlannedAt" = j."Instant",
    "TaskPriority" = "Priority"
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "Task" text, "Scope" text, "Instant" timestamptz)
WHERE "Id" = j."ItemId" AND "State" IN (0, 4);

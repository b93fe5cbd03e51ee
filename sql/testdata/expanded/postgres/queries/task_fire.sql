INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "WorkerName", "Outcome", "RecordedBy", "RecordedAt")
SELECT j."Name", j."Instant", j."Holder", 'fired', j."Author", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM json_to_recordset(CAST(@rows AS json)) AS j("Name" text, "Task" text, "Holder" text, "Instant" timestamptz, "Closes" timestamptz, "Author" text)
WHERE j."Instant" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AND (j."Closes" IS NULL OR j."Closes" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
  AND EXISTS (SELECT 1 FROM "BotTasks" t WHERE t."Name" = j."Task" AND t."Active")
  AND NOT EXISTS (SELECT 1 FROM "BotScheduleFirings" f
      WHERE f."Schedule" = j."Name" AND f."PlannedAt" = j."Instant" AND f."WorkerName" = j."Holder")
  AND NOT EXISTS (SELECT 1 FROM "BotWorkQueueItems" i
      WHERE i."TaskName" = j."Task" AND i."State" IN (0, 1, 4, 5) AND i."DeletedAt" IS NULL
        AND COALESCE(i."TaskScope", '') = j."Holder")
RETURNING "Schedule", "WorkerName";

-- task_fire: record that windows are served. The unique key allows one record; the items are
-- inserted in the same transaction. It skips a window that has a record, that has not started yet
-- or has passed, whose task is not active, or if an unfinished item of its task and scope exists.
-- In:  rows [{Name, Task, Holder, Instant, Closes, Author}], now (NULL: the database clock)
-- Out: schedule and scope value of the recorded windows.
INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "WorkerName", "Outcome", "RecordedBy", "RecordedAt")
SELECT j."Name", j."Instant", j."Holder", 'fired', j."Author", {{now}}
FROM json_to_recordset(CAST(@rows AS json)) AS j("Name" text, "Task" text, "Holder" text, "Instant" timestamptz, "Closes" timestamptz, "Author" text)
WHERE j."Instant" <= {{now}} AND (j."Closes" IS NULL OR j."Closes" > {{now}})
  AND EXISTS (SELECT 1 FROM "BotTasks" t WHERE t."Name" = j."Task" AND t."Active")
  AND NOT EXISTS (SELECT 1 FROM "BotScheduleFirings" f
      WHERE f."Schedule" = j."Name" AND f."PlannedAt" = j."Instant" AND f."WorkerName" = j."Holder")
  AND NOT EXISTS (SELECT 1 FROM "BotWorkQueueItems" i
      WHERE i."TaskName" = j."Task" AND i."State" IN (0, 1, 4, 5) AND i."DeletedAt" IS NULL
        AND COALESCE(i."TaskScope", '') = j."Holder")
RETURNING "Schedule", "WorkerName";

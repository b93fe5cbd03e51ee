-- held_items: the items that workers and robots hold: all running items, and the most urgent of the
-- assigned ones, in the order in which their workers start them. Two halves, so that each uses its
-- index. Assigned items that may not start now are left out: see reassign.
-- In:  limit_rows (of each half), now (NULL: the database clock)
-- Out: the columns of due, then the worker (NULL: a robot), 1 if running, its position in the order
--      of its worker, its channel, since when it is assigned or running, when a run of it is ended (NULL: never).
SELECT assigned."Id", assigned."Priority", assigned."DeadlineAt", assigned."EstimateMs", assigned."Pipeline", assigned."QueueName", assigned."Limited", assigned."LimitKey",
    assigned."AvailableAt", assigned."Labels", assigned."Selectors", assigned."Expedite", assigned."TaskName", assigned."NaturalKey", assigned."WorkerId", assigned."Running", assigned."RunOrder", assigned."Channel", assigned."Since", assigned."FinishBy"
FROM (
    -- include: held_columns
        i."WorkerId", 0 AS "Running", i."RunOrder", i."Channel", i."AssignedAt" AS "Since", i."FinishBy"
    FROM "BotWorkQueueItems" i
    WHERE i."State" = 5 AND i."WorkerId" IS NOT NULL
      -- include: may_start row=i.
    ORDER BY i."Priority" DESC, i."RunOrder", i."Id"
    LIMIT @limit_rows) assigned
UNION ALL
SELECT running."Id", running."Priority", running."DeadlineAt", running."EstimateMs", running."Pipeline", running."QueueName", running."Limited", running."LimitKey",
    running."AvailableAt", running."Labels", running."Selectors", running."Expedite", running."TaskName", running."NaturalKey", running."WorkerId", running."Running", running."RunOrder", running."Channel", running."Since", running."FinishBy"
FROM (
    -- include: held_columns
        i."WorkerId", 1 AS "Running", i."RunOrder", i."Channel", i."StartedAt" AS "Since", i."FinishBy"
    FROM "BotWorkQueueItems" i
    WHERE i."State" = 1
    ORDER BY i."LeaseExpiresAt"
    LIMIT @limit_rows) running;

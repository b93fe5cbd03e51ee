-- What runs where, since when, and for how long may it be expected to run? Step,
-- progress and log lines are at most a few seconds old; a slot of the worker is
-- stuck when its handler was cancelled and does not stop. Where a robot has taken the
-- item, WorkerName is the robot's. An item that does not say how long it takes is
-- expected to take as long as its pipeline did lately.
SELECT COALESCE(w."Name", i."Robot") AS "WorkerName", w."Host", w."Pid", i."Id", i."Priority", i."Pipeline", i."Step", i."Progress", i."StartedAt",
    CAST(EXTRACT(EPOCH FROM statement_timestamp() - i."StartedAt") AS BIGINT) AS "RunsForSeconds",
    CAST(COALESCE(i."EstimatedDurationMs", l."MeanMs") / 1000 AS BIGINT) AS "EstimatedSeconds",
    i."RetryCount" + 1 AS "Attempt", i."FirstStartedAt", i."LeaseExpiresAt", w."StuckSlots", i."LogTail"
FROM "BotWorkQueueItemsView" i
LEFT JOIN "BotWorkers" w ON w."Name" = i."WorkerName"
LEFT JOIN (SELECT d."Pipeline", MAX(d."MeanMs") AS "MeanMs" FROM "BotDurations" d
    WHERE d."Kind" = 'pipeline' AND d."Runs" >= 3 GROUP BY d."Pipeline") l ON l."Pipeline" = i."Pipeline"
WHERE i."State" = 1
ORDER BY w."Name", i."StartedAt", i."Id";

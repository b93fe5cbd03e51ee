-- waiting_cases: the cases of ready and waiting in which an item of a band waits for a worker and
-- is due: the conditions of due, but for the part that only orders. Each case follows its own
-- index and ends at the first row. Items that run together wait for a worker when their batch is due.
-- In:  min_priority, max_priority, now (NULL: the database clock)
WHEN (SELECT 1 FROM "BotWorkQueueItems" i
WHERE i."State" IN (0, 4) AND i."BatchKey" IS NULL AND NOT i."Scheduled" AND i."DeadlineAt" IS NULL
  -- include: due_in_band
ORDER BY i."Priority" DESC, i."Id" LIMIT 1) IS NOT NULL THEN 1
WHEN (SELECT 1 FROM "BotWorkQueueItems" i
WHERE i."State" IN (0, 4) AND i."BatchKey" IS NULL AND NOT i."Scheduled" AND i."DeadlineAt" IS NOT NULL AND i."DeadlineAt" >= {{now}}
  -- include: due_in_band
ORDER BY i."Priority" DESC, i."DeadlineAt", i."Id" LIMIT 1) IS NOT NULL THEN 1
WHEN (SELECT 1 FROM "BotWorkQueueItems" i
WHERE i."State" IN (0, 4) AND i."BatchKey" IS NULL AND i."Scheduled" AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= {{now}})
  -- include: due_in_band
ORDER BY i."AvailableAt" LIMIT 1) IS NOT NULL THEN 1
WHEN EXISTS (SELECT 1 FROM (
  -- include: batch_groups scope=i."BatchKey" IS NOT NULL
  ) g
WHERE g."Priority" BETWEEN @min_priority AND @max_priority AND {{batch_leads}}) THEN 1

-- expired: items that were not started in time. Two halves, so that each uses its index.
-- In:  limit_rows, now (NULL: the database clock)
-- Out: candidates for expire, which repeats these conditions.
SELECT c."Id"
FROM (
    SELECT i."Id"
    FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4, 5) AND i."DeadlineAt" IS NOT NULL AND i."DeadlineAt" < {{now}}
      AND i."DeletedAt" IS NULL
      -- include: not_held row=i.
    UNION ALL
    SELECT i."Id"
    FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4, 5) AND i."ExpiresAt" IS NOT NULL AND i."ExpiresAt" < {{now}}
      AND i."DeletedAt" IS NULL
      -- include: not_held row=i.
) c
LIMIT @limit_rows;

-- due_in_band: the rest of the conditions of an item that waits for a worker, beside its state and
-- deadline: it is in the band, due, neither deleted nor expired, its queue is open to workers, and no
-- session holds it.
-- In:  min_priority, max_priority, now (NULL: the database clock)
AND i."Priority" BETWEEN @min_priority AND @max_priority
AND i."AvailableAt" <= {{now}}
AND i."DeletedAt" IS NULL
AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= {{now}})
AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
-- include: not_held row=i.

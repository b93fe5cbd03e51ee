-- Cancel an item that waits or is assigned. One row changes; none when it runs
-- or is finished: a run cannot be stopped from here. (`botwork items cancel 1`
-- does the same, and the queue's statistics see it; this they do not: `botwork
-- queues stats --recount`.)
SET QUOTED_IDENTIFIER ON; -- sqlcmd and job steps have it off, and then error 1934 refuses the change
UPDATE BotWorkQueueItems SET
    State = 3,
    Error = N'cancelled by hand', -- the reason that people will read
    ErrorKind = N'cancelled',
    FinishedAt = SYSUTCDATETIME(),
    LeaseExpiresAt = NULL
WHERE State IN (0, 4, 5) AND DeletedAt IS NULL
  AND Id = 1; -- the item's id

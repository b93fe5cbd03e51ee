-- Cancel an item that waits or is assigned. Changes one row, or none if the item runs
-- or is finished: this statement cannot stop a run. `botwork items cancel 1` does the
-- same and updates the queue's statistics. After this statement, run
-- `botwork queues stats --recount`.
-- In a transaction of your own, commit at once: until then no worker touches the item, and
-- commands that change it wait.
SET QUOTED_IDENTIFIER ON; -- without it, sqlcmd and job steps fail with error 1934
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 3,
    Error = N'cancelled by hand', -- the reason shown in listings
    ErrorKind = N'cancelled',
    FinishedAt = SYSUTCDATETIME(),
    LeaseExpiresAt = NULL
WHERE State IN (0, 4, 5) AND DeletedAt IS NULL
  AND Id = 1; -- the item's id

-- Change the priority of an item that has not started: above 1000 is high, 500 to
-- 1000 medium, below 500 low. Changes one row, or none if the item runs or is
-- finished. An assigned item stays with its worker.
-- In a transaction of your own, commit at once: until then no worker touches the item, and
-- commands that change it wait.
SET QUOTED_IDENTIFIER ON; -- without it, sqlcmd and job steps fail with error 1934
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    Priority = 2000 -- the new priority; larger runs first
WHERE State IN (0, 4, 5) AND DeletedAt IS NULL
  AND Id = 1; -- the item's id

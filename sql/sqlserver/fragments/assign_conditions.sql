-- assign_conditions: the rest of the conditions of assign and of reassign, beside the item's
-- state: it may start now, and the worker j.HolderId is active and alive.
-- In:  now (NULL: the database clock)
-- include: may_start row=t.
AND EXISTS (SELECT 1 FROM BotWorkers w
    WHERE w.Id = j.HolderId AND w.State = N'active' AND w.Gate IS NULL AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= {{now}}))

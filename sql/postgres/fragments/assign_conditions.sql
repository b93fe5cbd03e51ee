-- assign_conditions: the rest of the conditions of assign and of reassign, beside the item's
-- state: it may start now, and the worker j.HolderId is active and alive.
-- In:  now (NULL: the database clock)
-- include: may_start row=
AND j."HolderId" IN (SELECT w."Id" FROM "BotWorkers" w
    WHERE w."State" = 'active' AND w."Gate" IS NULL AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= {{now}}))

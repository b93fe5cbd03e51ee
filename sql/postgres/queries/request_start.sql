-- request_start: take a request for this worker. Each request starts once.
-- In:  request, worker, now (NULL: the database clock)
UPDATE "BotRunRequests" SET
    "State" = 'started',
    "WorkerId" = CAST(@worker AS bigint),
    "StartedAt" = {{now}}
WHERE "Id" = @request AND "State" = 'pending' AND "ExpiresAt" > {{now}};

-- request_start: take a request for this worker. Each request starts once.
-- In:  request, worker, now (NULL: the database clock)
UPDATE BotRunRequests SET
    State = N'started',
    WorkerId = @worker,
    StartedAt = {{now}}
WHERE Id = @request AND State = N'pending' AND ExpiresAt > {{now}};

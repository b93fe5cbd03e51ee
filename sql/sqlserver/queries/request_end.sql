-- request_end: record the run of a request that this transaction has taken, or that it was refused
-- because its instant has fired.
-- In:  request, state, run (NULL: refused)
UPDATE BotRunRequests SET
    State = @state,
    RunId = @run
WHERE Id = @request AND State = N'started' AND RunId IS NULL;

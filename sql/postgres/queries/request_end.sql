-- request_end: record the run of a request that this transaction has taken, or that it was refused
-- because its instant has fired.
-- In:  request, state, run (NULL: refused)
UPDATE "BotRunRequests" SET
    "State" = CAST(@state AS varchar),
    "RunId" = CAST(@run AS bigint)
WHERE "Id" = @request AND "State" = 'started' AND "RunId" IS NULL;

-- request_expire: record that requests have expired, so that their planned instants can be requested
-- again.
-- In:  pipeline, now (NULL: the database clock)
UPDATE "BotRunRequests" SET "State" = 'expired'
WHERE "Pipeline" = @pipeline AND "State" = 'pending' AND "ExpiresAt" <= {{now}};

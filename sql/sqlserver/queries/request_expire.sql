-- request_expire: record that requests have expired, so that their planned instants can be requested
-- again.
-- In:  pipeline, now (NULL: the database clock)
UPDATE BotRunRequests SET State = N'expired'
WHERE Pipeline = CAST(@pipeline AS NVARCHAR(450)) AND State = N'pending' AND ExpiresAt <= {{now}};

-- learned: the durations that an assignment pass uses, of the most recently updated keys.
-- In:  limit_rows
SELECT d."Kind", d."Pipeline", d."Name", d."Runs", d."MeanMs", d."P90Ms"
FROM "BotDurations" d
ORDER BY d."UpdatedAt" DESC, d."Id" DESC
LIMIT @limit_rows;

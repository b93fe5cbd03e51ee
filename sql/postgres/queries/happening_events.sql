-- happening_events: events that other parts of the program raised, the first first. An evaluation removes what it has
-- read.
-- In:  limit_rows
-- Out: as happening_items.
SELECT e."Id", e."At", e."QueueName", e."Pipeline", NULL, e."Kind", e."Detail", e."WorkerName", NULL, e."ItemId"
FROM "BotEvents" e
ORDER BY e."Id"
LIMIT @limit_rows;

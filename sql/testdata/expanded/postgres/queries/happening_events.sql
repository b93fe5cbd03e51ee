SELECT e."Id", e."At", e."QueueName", e."Pipeline", NULL, e."Kind", e."Detail", e."WorkerName", NULL, e."ItemId"
FROM "BotEvents" e
ORDER BY e."Id"
LIMIT @limit_rows;

-- token_add: insert an API token. The unique keys refuse a name that another valid token has.
-- In:  name, name_key, start, hash, role, queues (NULL: all), by, expires_ms (NULL: never expires), now (NULL: the database clock)
-- Out: the id and the times.
INSERT INTO BotTokens (Name, NameKey, Start, Hash, Role, Queues, CreatedAt, CreatedBy, ExpiresAt)
OUTPUT inserted.Id, inserted.CreatedAt, inserted.ExpiresAt
VALUES (@name, @name_key, @start, @hash, @role, @queues, {{now}}, @by, {{now_plus ms=CAST(@expires_ms AS BIGINT)}});

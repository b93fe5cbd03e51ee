-- clone: a new item like one that is there, made on request and due at once. A
-- deadline that is over is not taken along.
-- In:  id, unique_key (NULL: none), life_ms (NULL: no bound), author, now (NULL: the database clock)
-- Out: the new id; none when there is no such item.
INSERT INTO BotWorkQueueItems (
    {{copied_columns row=}},
    DeadlineAt, State, UniqueKey, AvailableAt, CreatedAt, CreatedBy, ExpiresAt, IdempotencyKey)
SELECT
    {{copied_columns row=i.}},
    CASE WHEN i.DeadlineAt >= {{now}} THEN i.DeadlineAt END, 4, @unique_key, {{now}}, {{now}},
    @author, CASE WHEN @life_ms IS NOT NULL THEN {{now_plus ms=@life_ms}} END,
    lower(hex(randomblob(16)))
FROM BotWorkQueueItems i
WHERE i.Id = @id
RETURNING Id;

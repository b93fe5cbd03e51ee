-- clone: insert a copy of an item, requested by a user and due at once. It does not take over a
-- deadline or a time to finish by that has passed.
-- In:  id, queue (in which the item is), unique_key (NULL: none), life_ms (NULL: no bound), author, now (NULL: the database clock)
-- Out: the new id; no row if the item does not exist, or has left the queue.
INSERT INTO BotWorkQueueItems (
    {{copied_columns row=}},
    DeadlineAt, FinishBy, State, UniqueKey, AvailableAt, CreatedAt, CreatedBy, ExpiresAt, IdempotencyKey, PoliciesApplied)
SELECT
    {{copied_columns row=i.}},
    COALESCE({{if_ahead column=i.DeadlineAt}}, {{if_ahead column=i.FinishBy}}), {{if_ahead column=i.FinishBy}}, 4, @unique_key, {{now}}, {{now}},
    @author, CASE WHEN @life_ms IS NOT NULL THEN {{now_plus ms=@life_ms}} END,
    {{random_key}}, 1
FROM BotWorkQueueItems i
WHERE i.Id = @id AND i.QueueName = @queue
RETURNING Id;

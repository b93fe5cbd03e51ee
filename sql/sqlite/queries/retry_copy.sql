-- retry_copy: a new item that tries again what one has failed at, which is over.
-- In:  id, fence, failures, delay_ms, unique_key (NULL: none), now (NULL: the database clock)
-- Out: the new id; none when the item is not the one that failed.
INSERT INTO BotWorkQueueItems (
    {{copied_columns row=}},
    DeadlineAt, ExpiresAt, TaskPlannedAt, TaskPriority, IdempotencyKey, UniqueKey, ContentKey,
    FirstStartedAt, CreatedBy, State, RetryCount, RootId, AvailableAt, Scheduled, CreatedAt)
SELECT
    {{copied_columns row=i.}},
    i.DeadlineAt, i.ExpiresAt, i.TaskPlannedAt, i.TaskPriority, i.IdempotencyKey, @unique_key,
    i.ContentKey, i.FirstStartedAt, i.CreatedBy, 0, @failures, COALESCE(i.RootId, i.Id),
    {{now_plus ms=@delay_ms}}, CASE WHEN @delay_ms > 0 THEN 1 ELSE 0 END, {{now}}
FROM BotWorkQueueItems i
WHERE i.Id = @id AND i.Fence = @fence AND i.State = 3
RETURNING Id;

-- change_run: make items that wait due now, and finished ones run again. They keep their counters.
-- An item that was created on request and waits stays Pending.
-- In:  rows [{ItemId, ItemFence, OldState, Hidden, TakesKey, NewKey}] (see revived_rows), now (NULL: the database clock)
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = CASE WHEN State = 4 THEN 4 ELSE 0 END,
    AvailableAt = {{now}},
    Scheduled = 0,
    WorkerId = NULL,
    LeaseExpiresAt = NULL,
    AssignedAt = NULL,
    FinishedAt = NULL,
    RetainUntil = NULL,
    UniqueKey = CASE WHEN j.TakesKey = 1 THEN j.NewKey ELSE UniqueKey END,
    DeadlineAt = COALESCE({{if_ahead column=DeadlineAt}}, {{if_ahead column=FinishBy}}),
    FinishBy = {{if_ahead column=FinishBy}},
    ExpiresAt = {{if_ahead column=ExpiresAt}}
FROM {{revived_rows}}
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State = j.OldState
  AND State IN (0, 2, 3, 4) AND DeletedAt IS NULL;

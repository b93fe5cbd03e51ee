-- change_run: make items that wait due now, and finished ones run again. They keep their counters.
-- An item that was created on request and waits stays Pending.
-- In:  rows [{ItemId, ItemFence, OldState, Hidden, TakesKey, NewKey}] (see revived_rows), now (NULL: the database clock)
UPDATE t SET
    Version = t.Version + 1,
    State = CASE WHEN t.State = 4 THEN 4 ELSE 0 END,
    AvailableAt = {{now}},
    Scheduled = 0,
    WorkerId = NULL,
    LeaseExpiresAt = NULL,
    AssignedAt = NULL,
    FinishedAt = NULL,
    RetainUntil = NULL,
    UniqueKey = CASE WHEN j.TakesKey = 1 THEN j.NewKey ELSE t.UniqueKey END,
    DeadlineAt = COALESCE({{if_ahead column=t.DeadlineAt}}, {{if_ahead column=t.FinishBy}}),
    FinishBy = {{if_ahead column=t.FinishBy}},
    ExpiresAt = {{if_ahead column=t.ExpiresAt}}
FROM BotWorkQueueItems t
JOIN {{revived_rows}} ON j.ItemId = t.Id
WHERE t.Fence = j.ItemFence AND t.State = j.OldState
  AND t.State IN (0, 2, 3, 4) AND t.DeletedAt IS NULL;

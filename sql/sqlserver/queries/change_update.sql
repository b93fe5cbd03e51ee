-- change_update: give items that wait, are assigned or run new values. An assigned item whose worker
-- or start may be another one then waits for the next assignment.
-- No deadline is later than the time by which the item must finish.
-- In:  rows [{ItemId, ItemFence, OldState, OldVersion, Queue, Prio, Moved (1: assign again), SetsDue, DueAt or DelayMs,
--      SetsDeadline, Deadline or DeadlineMs (both NULL: none), SetsFinish (1: Finish, and Deadline, are the new
--      values; NULL: none), Finish, SetsEstimate, EstimateMs, SetsPolicy, Policy, SetsLimit,
--      LimitText, SetsSelectors, SelectorText, Expedited, SetsBody, Body, TagList, Meta, LabelText, UniqueHash,
--      ContentHash, TimedHash}]; what a Sets... of 0 belongs to keeps its value; now (NULL: the database clock)
UPDATE t SET
    Version = t.Version + 1,
    QueueName = j.Queue,
    Priority = j.Prio,
    State = CASE WHEN t.State = 5 AND j.Moved = 1 THEN 0 ELSE t.State END,
    WorkerId = CASE WHEN t.State = 5 AND j.Moved = 1 THEN NULL ELSE t.WorkerId END,
    AssignedAt = CASE WHEN t.State = 5 AND j.Moved = 1 THEN NULL ELSE t.AssignedAt END,
    AvailableAt = CASE WHEN j.SetsDue = 1 THEN COALESCE(j.DueAt, {{now_plus ms=j.DelayMs}}) ELSE t.AvailableAt END,
    Scheduled = CASE WHEN j.SetsDue = 1 THEN CASE WHEN j.DueAt IS NULL AND j.DelayMs > 0 OR j.DueAt > {{now}} THEN 1 ELSE 0 END ELSE t.Scheduled END,
    FinishBy = CASE WHEN j.SetsFinish = 1 THEN j.Finish ELSE t.FinishBy END,
    DeadlineAt = CASE WHEN j.SetsFinish = 1 THEN j.Deadline WHEN j.SetsDeadline = 0 THEN t.DeadlineAt
        WHEN t.FinishBy <= COALESCE(j.Deadline, {{now_plus ms=j.DeadlineMs}}, t.FinishBy) THEN t.FinishBy
        ELSE COALESCE(j.Deadline, {{now_plus ms=j.DeadlineMs}}) END,
    EstimatedDurationMs = CASE WHEN j.SetsEstimate = 1 THEN j.EstimateMs ELSE t.EstimatedDurationMs END,
    ResilienceConfig = CASE WHEN j.SetsPolicy = 1 THEN j.Policy ELSE t.ResilienceConfig END,
    LimitKey = CASE WHEN j.SetsLimit = 1 THEN j.LimitText ELSE t.LimitKey END,
    Selectors = CASE WHEN j.SetsSelectors = 1 THEN j.SelectorText ELSE t.Selectors END,
    Expedite = CASE WHEN j.SetsSelectors = 1 THEN j.Expedited ELSE t.Expedite END,
    Payload = CASE WHEN j.SetsBody = 1 THEN j.Body ELSE t.Payload END,
    Tags = j.TagList,
    Metadata = j.Meta,
    Labels = j.LabelText,
    UniqueKey = j.UniqueHash,
    ContentKey = j.ContentHash,
    TimedKey = j.TimedHash
FROM BotWorkQueueItems t
JOIN OPENJSON(@rows) WITH (
    ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', OldState INT '$.OldState',
    OldVersion BIGINT '$.OldVersion', Queue NVARCHAR(200) '$.Queue', Prio INT '$.Prio', Moved INT '$.Moved',
    SetsDue INT '$.SetsDue', DueAt DATETIME2(3) '$.DueAt', DelayMs BIGINT '$.DelayMs',
    SetsDeadline INT '$.SetsDeadline', Deadline DATETIME2(3) '$.Deadline', DeadlineMs BIGINT '$.DeadlineMs',
    SetsFinish INT '$.SetsFinish', Finish DATETIME2(3) '$.Finish',
    SetsEstimate INT '$.SetsEstimate', EstimateMs BIGINT '$.EstimateMs', SetsPolicy INT '$.SetsPolicy',
    Policy NVARCHAR(MAX) '$.Policy', SetsLimit INT '$.SetsLimit', LimitText NVARCHAR(200) '$.LimitText',
    SetsSelectors INT '$.SetsSelectors', SelectorText NVARCHAR(MAX) '$.SelectorText', Expedited INT '$.Expedited',
    SetsBody INT '$.SetsBody', Body NVARCHAR(MAX) '$.Body', TagList NVARCHAR(MAX) '$.TagList',
    Meta NVARCHAR(MAX) '$.Meta', LabelText NVARCHAR(MAX) '$.LabelText', UniqueHash NVARCHAR(64) '$.UniqueHash',
    ContentHash NVARCHAR(64) '$.ContentHash', TimedHash NVARCHAR(64) '$.TimedHash') j ON j.ItemId = t.Id
WHERE t.Fence = j.ItemFence AND t.State = j.OldState AND t.Version = j.OldVersion
  AND t.State IN (0, 1, 4, 5) AND t.DeletedAt IS NULL
  AND (t.QueueName = j.Queue OR EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = j.Queue));

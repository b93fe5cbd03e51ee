-- change_update: give items that wait, are assigned or run new values. An assigned item whose worker
-- or start may be another one then waits for the next assignment.
-- No deadline is later than the time by which the item must finish.
-- In:  rows [{ItemId, ItemFence, OldState, OldVersion, Queue, Prio, Moved (1: assign again), SetsDue, DueAt or DelayMs,
--      SetsDeadline, Deadline or DeadlineMs (both NULL: none), SetsFinish (1: Finish, and Deadline, are the new
--      values; NULL: none), Finish, SetsEstimate, EstimateMs, SetsPolicy, Policy, SetsLimit,
--      LimitText, SetsSelectors, SelectorText, Expedited, SetsBody, Body, TagList, Meta, LabelText, UniqueHash,
--      ContentHash, TimedHash}]; what a Sets... of 0 belongs to keeps its value; now (NULL: the database clock)
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    QueueName = j.Queue,
    Priority = j.Prio,
    State = CASE WHEN State = 5 AND j.Moved = 1 THEN 0 ELSE State END,
    WorkerId = CASE WHEN State = 5 AND j.Moved = 1 THEN NULL ELSE WorkerId END,
    AssignedAt = CASE WHEN State = 5 AND j.Moved = 1 THEN NULL ELSE AssignedAt END,
    AvailableAt = CASE WHEN j.SetsDue = 1 THEN COALESCE(j.DueAt, CASE WHEN j.DelayMs IS NOT NULL THEN {{now_plus ms=j.DelayMs}} END) ELSE AvailableAt END,
    Scheduled = CASE WHEN j.SetsDue = 1 THEN CASE WHEN j.DueAt IS NULL THEN j.DelayMs > 0 ELSE j.DueAt > {{now_once}} END ELSE Scheduled END,
    FinishBy = CASE WHEN j.SetsFinish = 1 THEN j.Finish ELSE FinishBy END,
    DeadlineAt = CASE WHEN j.SetsFinish = 1 THEN j.Deadline WHEN j.SetsDeadline = 0 THEN DeadlineAt
        WHEN FinishBy <= COALESCE(j.Deadline, CASE WHEN j.DeadlineMs IS NOT NULL THEN {{now_plus ms=j.DeadlineMs}} END, FinishBy) THEN FinishBy
        ELSE COALESCE(j.Deadline, CASE WHEN j.DeadlineMs IS NOT NULL THEN {{now_plus ms=j.DeadlineMs}} END) END,
    EstimatedDurationMs = CASE WHEN j.SetsEstimate = 1 THEN j.EstimateMs ELSE EstimatedDurationMs END,
    ResilienceConfig = CASE WHEN j.SetsPolicy = 1 THEN j.Policy ELSE ResilienceConfig END,
    LimitKey = CASE WHEN j.SetsLimit = 1 THEN j.LimitText ELSE LimitKey END,
    Selectors = CASE WHEN j.SetsSelectors = 1 THEN j.SelectorText ELSE Selectors END,
    Expedite = CASE WHEN j.SetsSelectors = 1 THEN j.Expedited ELSE Expedite END,
    Payload = CASE WHEN j.SetsBody = 1 THEN j.Body ELSE Payload END,
    Tags = j.TagList,
    Metadata = j.Meta,
    Labels = j.LabelText,
    UniqueKey = j.UniqueHash,
    ContentKey = j.ContentHash,
    TimedKey = j.TimedHash
FROM (SELECT
        json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
        json_extract(value, '$.OldState') AS OldState, json_extract(value, '$.OldVersion') AS OldVersion,
        json_extract(value, '$.Queue') AS Queue, json_extract(value, '$.Prio') AS Prio,
        json_extract(value, '$.Moved') AS Moved, json_extract(value, '$.SetsDue') AS SetsDue,
        json_extract(value, '$.DueAt') AS DueAt, json_extract(value, '$.DelayMs') AS DelayMs,
        json_extract(value, '$.SetsDeadline') AS SetsDeadline, json_extract(value, '$.Deadline') AS Deadline,
        json_extract(value, '$.DeadlineMs') AS DeadlineMs, json_extract(value, '$.SetsFinish') AS SetsFinish,
        json_extract(value, '$.Finish') AS Finish, json_extract(value, '$.SetsEstimate') AS SetsEstimate,
        json_extract(value, '$.EstimateMs') AS EstimateMs, json_extract(value, '$.SetsPolicy') AS SetsPolicy,
        json_extract(value, '$.Policy') AS Policy, json_extract(value, '$.SetsLimit') AS SetsLimit,
        json_extract(value, '$.LimitText') AS LimitText, json_extract(value, '$.SetsSelectors') AS SetsSelectors,
        json_extract(value, '$.SelectorText') AS SelectorText, json_extract(value, '$.Expedited') AS Expedited,
        json_extract(value, '$.SetsBody') AS SetsBody, json_extract(value, '$.Body') AS Body,
        json_extract(value, '$.TagList') AS TagList, json_extract(value, '$.Meta') AS Meta,
        json_extract(value, '$.LabelText') AS LabelText, json_extract(value, '$.UniqueHash') AS UniqueHash,
        json_extract(value, '$.ContentHash') AS ContentHash, json_extract(value, '$.TimedHash') AS TimedHash
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State = j.OldState AND Version = j.OldVersion
  AND State IN (0, 1, 4, 5) AND DeletedAt IS NULL
  AND (QueueName = j.Queue OR EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = j.Queue));

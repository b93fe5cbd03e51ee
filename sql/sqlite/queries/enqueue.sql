-- enqueue: insert all items, or none if the policy of a queue has changed since the rows were made.
-- It leaves out items whose deadline has passed, except those of tasks; the caller then takes all back.
-- In:  rows [{Queue, NewState, Prio, Config, Body, EstimateMs, Policy, DueAt, DelayMs,
--      Deadline, DeadlineMs, FinishAt, FinishMs, Author, Task, KeyText, LimitText, TagList, Meta, LabelText,
--      SelectorText, Expedited, KeepMs, LifeMs,
--      Sealed, Ticket, UniqueHash, ContentHash, TimedHash, TimedMs,
--      BatchKey, BatchMax, BatchWaitMs, BatchAtMostMs}], of one queue
--      queue and revision, of several queues [{Queue, Revision}] and queue_count, now (NULL: the database clock)
-- It is a template for rows that have values in common: see ../../insert.go.
-- Out: nothing. The ids are consecutive, in the order of the rows.
INSERT INTO BotWorkQueueItems
    (QueueName, State, Priority, IntegrationConfig, Payload, EstimatedDurationMs, ResilienceConfig, AvailableAt,
     Scheduled, DeadlineAt, FinishBy, CreatedBy, CreatedAt, TaskName, NaturalKey, LimitKey, Tags, Metadata, Labels, Selectors, Expedite, RetainMs, ExpiresAt, Encrypted,
     LockKey, UniqueKey, ContentKey, TimedKey, TimedUntil, BatchKey, BatchMax, BatchWaitMs, BatchAtMostMs, IdempotencyKey, PoliciesApplied)
SELECT j.Queue, j.NewState, j.Prio, j.Config, j.Body, j.EstimateMs, j.Policy,
    COALESCE(j.DueAt, CASE WHEN j.DelayMs = 0 THEN {{now_once}} ELSE {{now_plus ms=j.DelayMs}} END),
    CASE WHEN j.DueAt IS NULL THEN j.DelayMs > 0 ELSE j.DueAt > {{now_once}} END,
    CASE WHEN j.DeadlineMs IS NULL OR j.Deadline <= {{now_plus ms=j.DeadlineMs}} THEN j.Deadline ELSE {{now_plus ms=j.DeadlineMs}} END,
    COALESCE(j.FinishAt, CASE WHEN j.FinishMs IS NOT NULL THEN {{now_plus ms=j.FinishMs}} END),
    j.Author, {{now_once}},
    j.Task, j.KeyText, j.LimitText, j.TagList, j.Meta, j.LabelText, j.SelectorText, j.Expedited, j.KeepMs,
    CASE WHEN j.LifeMs IS NOT NULL THEN {{now_plus ms=j.LifeMs}} END,
    j.Sealed, j.Ticket, j.UniqueHash, j.ContentHash, j.TimedHash,
    CASE WHEN j.TimedMs IS NOT NULL THEN {{now_plus ms=j.TimedMs}} END,
    j.BatchKey, j.BatchMax, j.BatchWaitMs, j.BatchAtMostMs,
    {{random_key}}, 1
FROM (SELECT
        [[- range $i, $c := .Cells]][[if $i]],[[end]]
        [[if .Own]]json_extract(value, '$.[[.Name]]')[[else if .Absent]]NULL[[else]]@[[.Name]][[end]] AS [[.Name]]
        [[- end]]
      [[- if not .One]]
      FROM jsonb_each(@rows)
      [[- end]]) j
WHERE [[if .OneQueue -]]
    EXISTS (SELECT 1 FROM BotQueues b WHERE b.Name = @queue AND b.Revision = @revision)
    [[- else -]]
    (SELECT COUNT(*) FROM BotQueues b
        JOIN (SELECT json_extract(value, '$.Queue') AS Queue, json_extract(value, '$.Revision') AS Revision FROM jsonb_each(@queues)) p
          ON b.Name = p.Queue AND b.Revision = p.Revision) = @queue_count
    [[- end]]
    [[- if .Deadlines]]
  AND (j.Deadline IS NULL OR j.Deadline >= {{now_once}} OR j.Task IS NOT NULL)
    [[- end]];

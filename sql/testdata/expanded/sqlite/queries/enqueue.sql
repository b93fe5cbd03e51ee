INSERT INTO BotWorkQueueItems
    (QueueName, State, Priority, IntegrationConfig, Payload, EstimatedDurationMs, ResilienceConfig, AvailableAt,
     Scheduled, DeadlineAt, FinishBy, CreatedBy, CreatedAt, TaskName, NaturalKey, LimitKey, Tags, Metadata, Labels, Selectors, Expedite, RetainMs, ExpiresAt, Encrypted,
     LockKey, UniqueKey, ContentKey, TimedKey, TimedUntil, IdempotencyKey, PoliciesApplied)
SELECT j.Queue, j.NewState, j.Prio, j.Config, j.Body, j.EstimateMs, j.Policy,
    COALESCE(j.DueAt, CASE WHEN j.DelayMs = 0 THEN (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) ELSE strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', j.DelayMs / 1000.0)) END),
    CASE WHEN j.DueAt IS NULL THEN j.DelayMs > 0 ELSE j.DueAt > (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) END,
    CASE WHEN j.DeadlineMs IS NULL OR j.Deadline <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', j.DeadlineMs / 1000.0)) THEN j.Deadline ELSE strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', j.DeadlineMs / 1000.0)) END,
    COALESCE(j.FinishAt, CASE WHEN j.FinishMs IS NOT NULL THEN strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', j.FinishMs / 1000.0)) END),
    j.Author, (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))),
    j.Task, j.KeyText, j.LimitText, j.TagList, j.Meta, j.LabelText, j.SelectorText, j.Expedited, j.KeepMs,
    CASE WHEN j.LifeMs IS NOT NULL THEN strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', j.LifeMs / 1000.0)) END,
    j.Sealed, j.Ticket, j.UniqueHash, j.ContentHash, j.TimedHash,
    CASE WHEN j.TimedMs IS NOT NULL THEN strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', j.TimedMs / 1000.0)) END,
    lower(hex(randomblob(16))), 1
FROM (SELECT
        json_extract(value, '$.Queue') AS Queue,
        json_extract(value, '$.NewState') AS NewState,
        json_extract(value, '$.Prio') AS Prio,
        json_extract(value, '$.Config') AS Config,
        json_extract(value, '$.Body') AS Body,
        json_extract(value, '$.EstimateMs') AS EstimateMs,
        json_extract(value, '$.Policy') AS Policy,
        json_extract(value, '$.DueAt') AS DueAt,
        json_extract(value, '$.DelayMs') AS DelayMs,
        json_extract(value, '$.Deadline') AS Deadline,
        json_extract(value, '$.DeadlineMs') AS DeadlineMs,
        json_extract(value, '$.FinishAt') AS FinishAt,
        json_extract(value, '$.FinishMs') AS FinishMs,
        json_extract(value, '$.Author') AS Author,
        json_extract(value, '$.Task') AS Task,
        json_extract(value, '$.KeyText') AS KeyText,
        json_extract(value, '$.LimitText') AS LimitText,
        json_extract(value, '$.TagList') AS TagList,
        json_extract(value, '$.Meta') AS Meta,
        json_extract(value, '$.LabelText') AS LabelText,
        json_extract(value, '$.SelectorText') AS SelectorText,
        json_extract(value, '$.Expedited') AS Expedited,
        json_extract(value, '$.KeepMs') AS KeepMs,
        json_extract(value, '$.LifeMs') AS LifeMs,
        json_extract(value, '$.Sealed') AS Sealed,
        json_extract(value, '$.Ticket') AS Ticket,
        json_extract(value, '$.UniqueHash') AS UniqueHash,
        json_extract(value, '$.ContentHash') AS ContentHash,
        json_extract(value, '$.TimedHash') AS TimedHash,
        json_extract(value, '$.TimedMs') AS TimedMs
      FROM jsonb_each(@rows)) j
WHERE (SELECT COUNT(*) FROM BotQueues b
        JOIN (SELECT json_extract(value, '$.Queue') AS Queue, json_extract(value, '$.Revision') AS Revision FROM jsonb_each(@queues)) p
          ON b.Name = p.Queue AND b.Revision = p.Revision) = @queue_count
  AND (j.Deadline IS NULL OR j.Deadline >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) OR j.Task IS NOT NULL);

UPDATE BotWorkQueueItems SET
    TaskNotifiedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE State = 3 AND TaskNotifiedAt IS NULL
  AND Id IN (SELECT j.ItemId FROM (SELECT json_extract(value, '$.ItemId') AS ItemId
      FROM jsonb_each(@rows)) j)
RETURNING Id;

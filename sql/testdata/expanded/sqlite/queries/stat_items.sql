SELECT i.Id, i.QueueName, i.State, CASE WHEN i.DeletedAt IS NULL THEN 0 ELSE 1 END,
    CASE WHEN length(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE '' END, i.Priority, i.WorkerId, CAST(i.StartedAt AS TEXT), CAST(i.AvailableAt AS TEXT), CAST(i.FinishedAt AS TEXT), i.ErrorKind
FROM BotWorkQueueItems i
WHERE i.Id IN (SELECT json_extract(value, '$.ItemId') FROM jsonb_each(@rows))
ORDER BY i.Id;

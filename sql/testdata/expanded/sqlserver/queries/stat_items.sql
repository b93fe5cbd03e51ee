SELECT i.Id, i.QueueName, i.State, CASE WHEN i.DeletedAt IS NULL THEN 0 ELSE 1 END,
    i.PipelineName, i.Priority, i.WorkerId, i.StartedAt, i.AvailableAt, i.FinishedAt, i.ErrorKind
FROM BotWorkQueueItems i WITH (UPDLOCK, ROWLOCK)
WHERE i.Id IN (SELECT j.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j)
ORDER BY i.Id;

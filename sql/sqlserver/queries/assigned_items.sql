-- assigned_items: items of a band that are assigned and have not started, in the order in which
-- their workers start them: the expedited first, then the most urgent. Items that may not start now
-- are not moved either: see reassign.
-- In:  min_priority, max_priority, limit_rows, now (NULL: the database clock)
-- Out: the columns of due, then the worker.
SELECT TOP (@limit_rows) i.Id, i.Priority, i.DeadlineAt, COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs), SUBSTRING(i.IntegrationConfig, 1, 200), i.QueueName,
    0, NULL, i.AvailableAt, i.Labels, i.Selectors, i.Expedite, NULL, NULL, i.WorkerId
FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
WHERE i.State = 5 AND i.WorkerId IS NOT NULL
  AND i.Priority BETWEEN @min_priority AND @max_priority
  -- include: may_start row=i.
ORDER BY CASE WHEN i.Expedite = 1 AND i.RunOrder < -1000000000000000000 THEN 0 ELSE 1 END, i.Priority DESC, i.RunOrder, i.Id;

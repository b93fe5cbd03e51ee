-- due_part: one part of due: waiting items of a band that are due, as due returns them. The
-- condition tells the parts apart; it also bounds the deadline. order is what ORDER BY takes.
-- In:  the parameters of due
-- Parameters: part, condition, order
SELECT {{part}}.Id, {{part}}.Priority, {{part}}.DeadlineAt, {{part}}.EstimatedDurationMs, {{part}}.Pipeline, {{part}}.QueueName, {{part}}.Limited,
    {{part}}.LimitKey, {{part}}.AvailableAt, {{part}}.Labels, {{part}}.Selectors, {{part}}.Expedite, {{part}}.TaskName, {{part}}.NaturalKey, {{part}}.Scheduled, {{part}}.ByHand
FROM (
    SELECT TOP (@limit_rows) i.Id, i.Priority, i.DeadlineAt, i.EstimatedDurationMs, SUBSTRING(i.IntegrationConfig, 1, 200) AS Pipeline, i.QueueName,
        CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
            WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END AS Limited,
        RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2 AS LimitKey, i.AvailableAt, i.Labels, i.Selectors, i.Expedite,
        CASE WHEN i.EstimatedDurationMs IS NULL THEN i.TaskName END AS TaskName, CASE WHEN i.EstimatedDurationMs IS NULL THEN i.NaturalKey END AS NaturalKey, i.Scheduled,
        CASE WHEN i.PoliciesApplied = 0 AND i.Fence = 0 THEN 1 ELSE 0 END AS ByHand
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State IN (0, 4) AND {{condition}}
      -- include: due_in_band
      AND (@queues = N'[]' OR NOT EXISTS (SELECT 1 FROM OPENJSON(@queues) WITH (Queue NVARCHAR(200) '$') j WHERE j.Queue = i.QueueName))
      AND (@pipelines = N'[]' OR NOT EXISTS (SELECT 1 FROM OPENJSON(@pipelines) WITH (Pipeline NVARCHAR(200) '$') j WHERE j.Pipeline = LEFT(i.IntegrationConfig, 200)))
      AND (@keys = N'[]' OR NOT EXISTS (SELECT 1 FROM OPENJSON(@keys) WITH (Queue NVARCHAR(200) '$.Queue', LimitKey NVARCHAR(200) '$.Key') j
          WHERE j.Queue = i.QueueName AND j.LimitKey = RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2))
    ORDER BY {{order}}) {{part}}

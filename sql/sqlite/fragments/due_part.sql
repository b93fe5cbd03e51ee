-- due_part: one part of due: waiting items of a band that are due, as due returns them. The
-- condition tells the parts apart; it also bounds the deadline. order is what ORDER BY takes.
-- In:  the parameters of due
-- Parameters: part, condition, order
SELECT {{part}}.Id, {{part}}.Priority, {{part}}.DeadlineAt, {{part}}.EstimatedDurationMs, {{part}}.Pipeline, {{part}}.QueueName, {{part}}.Limited,
    {{part}}.LimitKey, {{part}}.AvailableAt, {{part}}.Labels, {{part}}.Selectors, {{part}}.Expedite, {{part}}.TaskName, {{part}}.NaturalKey, {{part}}.Scheduled, {{part}}.ByHand
FROM (
    SELECT i.Id, i.Priority, CAST(i.DeadlineAt AS TEXT) AS DeadlineAt, i.EstimatedDurationMs, substr(i.IntegrationConfig, 1, 200) AS Pipeline, i.QueueName,
        CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
            WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END AS Limited,
        i.LimitKey, CAST(i.AvailableAt AS TEXT) AS AvailableAt, i.Labels, i.Selectors, i.Expedite,
        CASE WHEN i.EstimatedDurationMs IS NULL THEN i.TaskName END AS TaskName, CASE WHEN i.EstimatedDurationMs IS NULL THEN i.NaturalKey END AS NaturalKey, i.Scheduled,
        CASE WHEN i.PoliciesApplied = 0 AND i.Fence = 0 THEN 1 ELSE 0 END AS ByHand
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND {{condition}}
      -- include: due_in_band
      AND (@queues = '[]' OR i.QueueName NOT IN (SELECT value FROM jsonb_each(@queues)))
      AND (@pipelines = '[]' OR substr(i.IntegrationConfig, 1, 200) NOT IN (SELECT value FROM jsonb_each(@pipelines)))
      AND (@keys = '[]' OR i.LimitKey IS NULL OR (i.QueueName, i.LimitKey) NOT IN (
          SELECT json_extract(value, '$.Queue'), json_extract(value, '$.Key') FROM jsonb_each(@keys)))
    ORDER BY {{order}}
    LIMIT CAST(@limit_rows AS INTEGER)) {{part}}

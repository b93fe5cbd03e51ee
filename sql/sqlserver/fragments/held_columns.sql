-- held_columns: the columns that both halves of held_items share, up to the natural key; the
-- worker's follow.
SELECT TOP (@limit_rows) i.Id, i.Priority, i.DeadlineAt, COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) AS EstimateMs,
    SUBSTRING(i.IntegrationConfig, 1, 200) AS Pipeline, i.QueueName,
    CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
        WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END AS Limited,
    RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2 AS LimitKey, i.AvailableAt, i.Labels, i.Selectors, i.Expedite, NULL AS TaskName, NULL AS NaturalKey,

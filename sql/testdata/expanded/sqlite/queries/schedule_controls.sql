SELECT 0, p.Pipeline, '', NULL, p.ChangedBy, p.Reason, p.ChangedAt
FROM BotPipelinePauses p
WHERE p.Paused = 1
UNION ALL
SELECT q.Id, q.Pipeline, q.TriggerName, q.PlannedAt, q.RequestedBy, '', q.RequestedAt
FROM (SELECT r.Id, r.Pipeline, r.TriggerName, r.PlannedAt, r.RequestedBy, r.RequestedAt,
        ROW_NUMBER() OVER (PARTITION BY r.Pipeline
            ORDER BY CASE WHEN r.TriggerName = 'request' THEN 0 ELSE 1 END, r.PlannedAt, r.Id) AS Turn
      FROM BotRunRequests r
      WHERE r.State = 'pending' AND r.ExpiresAt > COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) q
WHERE q.Turn = 1;

SELECT f.Schedule, f.PlannedAt, f.WorkerName, f.Outcome, f.Reason, f.RecordedBy, f.RecordedAt
FROM (SELECT json_extract(value, '$.Name') AS Name, json_extract(value, '$.Since') AS Since
      FROM jsonb_each(@rows)) j
JOIN BotScheduleFirings f ON f.Schedule = j.Name AND f.PlannedAt >= j.Since;

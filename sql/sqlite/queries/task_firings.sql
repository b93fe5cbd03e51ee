-- task_firings: the records of tasks' windows.
-- In:  rows [{Name, Since}]: a schedule, and the instant from which its records are read
-- Out: schedule, planned instant, scope value, outcome, reason, by whom, when.
SELECT f.Schedule, f.PlannedAt, f.WorkerName, f.Outcome, f.Reason, f.RecordedBy, f.RecordedAt
FROM (SELECT json_extract(value, '$.Name') AS Name, json_extract(value, '$.Since') AS Since
      FROM jsonb_each(@rows)) j
JOIN BotScheduleFirings f ON f.Schedule = j.Name AND f.PlannedAt >= j.Since;

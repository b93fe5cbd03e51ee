INSERT INTO BotWorkItemAttempts
    (ItemId, AttemptNumber, Fence, Outcome, WorkerId, WorkerName, Host, Step, Progress, LogTail, StepTimes, PipelineHash, Error, ErrorKind, StartedAt, FinishedAt)
SELECT j.ItemId, j.Number, j.ItemFence, j.Result, j.HolderId, CASE WHEN j.HolderId IS NULL THEN i.Robot ELSE w.Name END,
    CASE WHEN j.HolderId IS NULL AND i.Robot IS NOT NULL THEN '' ELSE w.Host END, COALESCE(j.StepName, i.Step), i.Progress, i.LogTail, i.StepTimes, i.PipelineHash, j.ErrorText, j.Kind, CASE WHEN j.Unbegun = 1 THEN NULL ELSE i.StartedAt END,
    COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.Number') AS Number,
        json_extract(value, '$.ItemFence') AS ItemFence, json_extract(value, '$.Result') AS Result,
        json_extract(value, '$.HolderId') AS HolderId, json_extract(value, '$.StepName') AS StepName,
        json_extract(value, '$.ErrorText') AS ErrorText, json_extract(value, '$.Kind') AS Kind, json_extract(value, '$.Unbegun') AS Unbegun
      FROM jsonb_each(@rows)) j
JOIN BotWorkQueueItems i ON i.Id = j.ItemId
LEFT JOIN BotWorkers w ON w.Id = j.HolderId;

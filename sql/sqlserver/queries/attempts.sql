-- attempts: note attempts that did not simply succeed.
-- In:  rows [{ItemId, Number, ItemFence, Result, HolderId, StepName, ErrorText, Kind}], now (NULL: the database clock)
INSERT INTO BotWorkItemAttempts
    (ItemId, AttemptNumber, Fence, Outcome, WorkerId, WorkerName, Step, Error, ErrorKind, StartedAt, FinishedAt)
SELECT j.ItemId, j.Number, j.ItemFence, j.Result, j.HolderId, w.Name, j.StepName, j.ErrorText, j.Kind, i.StartedAt,
    COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', Number INT '$.Number', ItemFence BIGINT '$.ItemFence',
    Result NVARCHAR(MAX) '$.Result', HolderId BIGINT '$.HolderId', StepName NVARCHAR(MAX) '$.StepName',
    ErrorText NVARCHAR(MAX) '$.ErrorText', Kind NVARCHAR(MAX) '$.Kind') j
JOIN BotWorkQueueItems i ON i.Id = j.ItemId
LEFT JOIN BotWorkers w ON w.Id = j.HolderId;

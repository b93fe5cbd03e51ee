-- Which text of its pipeline did an item run, and each attempt that did not simply
-- succeed? Present tells whether that is the text that workers had last. Body is empty
-- where no text is kept: of an inline pipeline, which stands in the item, and of one
-- that no worker has had for so long that clean-up removed it.
WITH ran AS (
    SELECT 0 AS AttemptNumber, 0 AS AttemptId, 'last run' AS What, i.IntegrationConfig, i.PipelineHash, i.StartedAt
    FROM BotWorkQueueItems i
    WHERE i.Id = 1 -- the item's id
    UNION ALL
    SELECT a.AttemptNumber, a.Id, a.Outcome, i.IntegrationConfig, a.PipelineHash, a.StartedAt
    FROM BotWorkItemAttempts a JOIN BotWorkQueueItems i ON i.Id = a.ItemId
    WHERE a.ItemId = 1 -- the item's id
)
SELECT r.AttemptNumber, r.What, r.StartedAt, r.PipelineHash,
    CASE WHEN t.Hash IS NULL THEN NULL
         WHEN EXISTS (SELECT 1 FROM BotPipelineTexts o WHERE o.Pipeline = t.Pipeline AND o.UsedAt > t.UsedAt) THEN 'no'
         ELSE 'yes' END AS Present,
    t.LoadedAt, t.UsedAt, t.Body
FROM ran r
LEFT JOIN BotPipelineTexts t ON t.Hash = r.PipelineHash AND t.Pipeline = r.IntegrationConfig
ORDER BY r.AttemptNumber, r.AttemptId;

-- batch_groups: the waiting items that run together with others, each with what is known of its
-- batch: Place is its position in the order in which items lead; Waiting is how many items wait,
-- Given how many leaders were found for the batch before and have not taken other items yet;
-- then the most items of a run, the times at which its latest and its first item became due, and
-- how long it waits after these. Only items of the same queue, pipeline, key, limit key and
-- selectors run together. An item that a worker died with, and one inserted by hand whose queue's
-- policies were not applied, has a batch of its own. scope is the condition on the key of the batch, and on
-- the queue if only the batches of one are asked for.
-- Selectors are compared by their SHA-256: an NVARCHAR(MAX) among the columns of a window would be sorted on disk.
-- In:  now (NULL: the database clock)
-- Parameters: scope
SELECT b.Id, b.Priority, b.Place, b.Waiting, b.Given, b.Most, b.Latest, b.First, b.WaitMs, b.AtMostMs
FROM (
    SELECT m.Id, m.Priority, m.Waits,
        ROW_NUMBER() OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId ORDER BY m.Waits DESC, m.Priority DESC, m.Id) AS Place,
        SUM(m.Waits) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS Waiting,
        SUM(1 - m.Waits) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS Given,
        MIN(m.Most) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS Most,
        MAX(m.WaitsSince) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS Latest,
        MIN(m.WaitsSince) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS First,
        MIN(m.WaitMs) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS WaitMs,
        MIN(m.AtMostMs) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS AtMostMs
    FROM (
        SELECT i.Id, i.Priority, i.QueueName, i.BatchKey, SUBSTRING(i.IntegrationConfig, 1, 200) AS Pipeline,
            COALESCE(i.LimitKey, N'') COLLATE Latin1_General_100_BIN2 AS LimitText, HASHBYTES(N'SHA2_256', COALESCE(i.Selectors, N'')) AS SelectorHash,
            CASE WHEN i.ReleaseCount > 0 OR i.PoliciesApplied = 0 AND i.Fence = 0 THEN i.Id END AS AloneId,
            CASE WHEN i.State IN (0, 4) THEN 1 ELSE 0 END AS Waits,
            CASE WHEN i.State IN (0, 4) THEN i.AvailableAt END AS WaitsSince,
            CASE WHEN i.ReleaseCount > 0 OR i.PoliciesApplied = 0 AND i.Fence = 0 OR i.BatchMax IS NULL OR i.BatchMax < 1 THEN 1 ELSE i.BatchMax END AS Most,
            COALESCE(i.BatchWaitMs, 0) AS WaitMs, COALESCE(i.BatchAtMostMs, 0) AS AtMostMs
        FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
        WHERE {{scope}} AND i.State IN (0, 1, 4, 5)
          AND (i.State = 5 OR i.State = 1 AND i.WorkerId IS NOT NULL AND i.BatchLeaderId IS NULL OR i.State IN (0, 4)
            AND i.AvailableAt <= {{now}}
            -- include: not_over row=i.
          )) m) b
WHERE b.Waits = 1

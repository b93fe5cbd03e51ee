-- checkout_half: one half of checkout: items without a deadline, or with one. order is what ORDER
-- BY takes.
-- In:  the parameters of checkout
-- Parameters: half, deadline, order
SELECT {{half}}.Id, {{half}}.Priority, {{half}}.DeadlineAt
FROM (
    SELECT TOP (@limit_rows) c.Id, c.Priority, c.DeadlineAt
    FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.State IN (0, 4) AND c.Fence >= 0 AND {{deadline}}
      -- include: checkout_filter
      AND EXISTS (SELECT 1 FROM BotQueues q
          WHERE q.Name = CAST(@queue AS NVARCHAR(450)) AND q.Consumer = N'robots' AND q.Paused = 0
            AND (CAST(@limited AS BIGINT) = 1 OR q.ConcurrencyLimit IS NULL AND q.KeyConcurrencyLimit IS NULL AND q.RateLimit IS NULL AND q.KeyRateLimit IS NULL)
            {{robot_may_read robot=@robot}})
    ORDER BY {{order}}) {{half}}

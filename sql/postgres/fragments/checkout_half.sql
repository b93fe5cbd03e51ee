-- checkout_half: one half of checkout: items without a deadline, or with one. order is what ORDER
-- BY takes.
-- In:  the parameters of checkout
-- Parameters: half, deadline, order
SELECT {{half}}."Id", {{half}}."Priority", {{half}}."DeadlineAt"
FROM (
    SELECT c."Id", c."Priority", c."DeadlineAt"
    FROM "BotWorkQueueItems" c
    WHERE c."State" IN (0, 4) AND c."Fence" >= 0 AND {{deadline}}
      -- include: checkout_filter
      AND EXISTS (SELECT 1 FROM "BotQueues" q
          WHERE q."Name" = @queue AND q."Consumer" = 'robots' AND NOT q."Paused"
            AND (CAST(@limited AS bigint) = 1 OR q."ConcurrencyLimit" IS NULL AND q."KeyConcurrencyLimit" IS NULL AND q."RateLimit" IS NULL AND q."KeyRateLimit" IS NULL)
            {{robot_may_read robot=@robot}})
    ORDER BY {{order}}
    LIMIT @limit_rows
    FOR NO KEY UPDATE SKIP LOCKED) {{half}}

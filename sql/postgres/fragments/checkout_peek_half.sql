-- checkout_peek_half: one half of checkout_peek: items without a deadline, or with one. order is
-- what ORDER BY takes.
-- In:  the parameters of checkout_peek
-- Parameters: half, deadline, order
SELECT {{half}}."Id", {{half}}."Priority", {{half}}."DeadlineAt"
FROM (
    SELECT c."Id", c."Priority", c."DeadlineAt"
    FROM "BotWorkQueueItems" c
    WHERE c."State" IN (0, 4) AND c."Fence" >= 0 AND {{deadline}}
      -- include: checkout_filter
      AND EXISTS (SELECT 1 FROM "BotQueues" q
          WHERE q."Name" = @queue AND q."Consumer" = 'robots' AND NOT q."Paused"
            {{robot_may_read robot=@robot}})
    ORDER BY {{order}}
    LIMIT @limit_rows) {{half}}

-- escalation_due: waiting items of a queue on which the next step of a rule is due. No fence is below 0, but the indexes
-- need the condition. A raise also finds items that are assigned and have not started.
-- In:  queue, the parameters of escalation_half, assigned (1: also assigned items), limit_rows
-- Out: id, state, version, priority, selectors, due time and latest step (0: none) of candidates for escalation_still, in any
--      order.
SELECT c."Id", c."State", c."Version", c."Priority", c."Selectors", c."AvailableAt", c."Step"
FROM (
    -- include: escalation_half state=i."State" IN (0, 4) AND i."Fence" >= 0 AND i."DeadlineAt" IS NULL; scope=i."QueueName" = @queue
    UNION ALL
    -- include: escalation_half state=i."State" IN (0, 4) AND i."Fence" >= 0 AND i."DeadlineAt" IS NOT NULL; scope=i."QueueName" = @queue
    UNION ALL
    -- include: escalation_half state=i."State" = 5 AND CAST(@assigned AS bigint) = 1; scope=i."QueueName" = @queue
) c
LIMIT @limit_rows;

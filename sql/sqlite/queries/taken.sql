-- taken: read what take has claimed, without items that have lost their lease meanwhile.
-- In:  rows [[id, fence]]
-- Out: the columns of claim, in any order.
SELECT
    {{claimed_columns row=i.}},
    {{claimed_too_large row=i.}}
FROM jsonb_each(@rows) j
CROSS JOIN BotWorkQueueItems i
WHERE i.Id = j.value ->> 0 AND i.Fence = j.value ->> 1 AND i.State = 1;

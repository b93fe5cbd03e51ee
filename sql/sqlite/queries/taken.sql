-- taken: read what take has claimed. What has lost its lease since is left out.
-- In:  rows [[id, fence]]
-- Out: the columns of claim, in no order.
SELECT
    {{claimed_columns row=i.}},
    {{claimed_too_large row=i.}}
FROM jsonb_each(@rows) j
CROSS JOIN BotWorkQueueItems i
WHERE i.Id = j.value ->> 0 AND i.Fence = j.value ->> 1 AND i.State = 1;

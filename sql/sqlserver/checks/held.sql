-- held: what each worker holds, running or assigned. Two halves, so that each uses
-- its index.
-- In:  -
-- Out: worker, the highest priority that it holds, number of items.
SELECT h.WorkerId, MAX(h.Priority), COUNT(*)
FROM (
    SELECT i.WorkerId, i.Priority FROM BotWorkQueueItems i WHERE i.State = 5 AND i.WorkerId IS NOT NULL
    UNION ALL
    SELECT i.WorkerId, i.Priority FROM BotWorkQueueItems i WHERE i.State = 1 AND i.WorkerId IS NOT NULL
) h
GROUP BY h.WorkerId;

-- lock_rows: lock the rows of a batch that still run with their fences, in the order of the batch,
-- which is that of ids: a join follows the order of whichever side the planner picks, and two
-- statements would wait for each other. The end of the CTE j, after FROM … AS r.
CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
    AND CASE WHEN i."Fence" = r."ItemFence" AND i."State" = 1 THEN TRUE ELSE FALSE END FOR UPDATE) l

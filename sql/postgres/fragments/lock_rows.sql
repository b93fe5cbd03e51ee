-- lock_rows: lock the rows of a batch that meet a condition, and pass over those that another session
-- holds: a person with an open transaction would hold up all others. Who needs them asks again. The
-- end of a CTE, after FROM … AS r("ItemId" bigint, …).
-- It is not FOR UPDATE, which would also pass over rows whose attempts are being written.
-- Parameters: condition
CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
    AND CASE WHEN {{condition}} THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l

-- checkout_progress: record the progress of a checked-out item.
-- Only while the robot holds the item by the lock key and may read the queue.
-- In:  id, robot, fence, lock_key (a hash), progress, percent (NULL: unchanged), now (NULL: the database clock)
-- Out: the id; no row if the lease was lost.
UPDATE t SET
    Progress = COALESCE(@progress, Progress),
    ProgressPercent = COALESCE(CAST(@percent AS INT), ProgressPercent)
OUTPUT inserted.Id
{{checkout_held}};

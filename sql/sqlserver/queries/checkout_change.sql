-- checkout_change: a robot changes an item that it holds. The priority applies to the next attempt.
-- Only while the robot holds the item by the lock key and may read the queue.
-- In:  id, robot, fence, lock_key (a hash), sets_metadata (1: set metadata), metadata (NULL: none), sets_tags, tags,
--      priority (NULL: unchanged), sets_key (1: set natural_key and unique_key), natural_key, unique_key,
--      now (NULL: the database clock)
-- Out: the id; no row if the lease was lost.
UPDATE t SET
    Version = Version + 1,
    -- include: robot_change_set
OUTPUT inserted.Id
{{checkout_held}};

-- assign: give waiting items to workers. The plan may be older than a failure, a pause or
-- the end of a worker: what may not start now, and what is for a worker that takes
-- nothing any more, stays as it is.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
-- "State" + 0 has each row found by its key: the indexes of what waits are full of dead
-- entries in the middle of a drain.
-- include: assign_rows
  AND CASE WHEN "State" IN (0, 4)
    {{assign_conditions}} THEN TRUE ELSE FALSE END;

-- assign: assign waiting items to workers. The plan may be older than a failure, a pause or the end
-- of a worker: items that may not start now, and items for a worker that no longer takes items, do
-- not change.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
-- "State" + 0 makes PostgreSQL find each row by its key: while the queue drains, the indexes of
-- waiting items are full of dead entries.
-- include: assign_rows
  AND CASE WHEN "State" IN (0, 4)
    {{assign_conditions}} THEN TRUE ELSE FALSE END;

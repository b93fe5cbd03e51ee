-- assign: assign waiting items to workers. The plan may be older than a failure, a pause or the end
-- of a worker: items that may not start now, and items for a worker that no longer takes items, do
-- not change.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
-- include: assign_rows
WHERE t.State IN (0, 4)
  {{assign_conditions}};

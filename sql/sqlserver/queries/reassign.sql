-- reassign: move items that have not started to other workers. It does not count as a release. It
-- has the conditions of assign.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
-- include: assign_rows
WHERE t.State = 5 AND t.WorkerId = j.FromId
  {{assign_conditions}};

-- reassign: move items that have not started to other workers. It does not count as a release. It
-- has the conditions of assign.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
-- include: assign_rows
  AND CASE WHEN "State" = 5 AND "WorkerId" = j."FromId"
    {{assign_conditions}} THEN TRUE ELSE FALSE END;

-- reassign: take items that have not started from their workers, and give them to
-- others. Nobody counts that as a release.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
UPDATE BotWorkQueueItems SET
    State = 5,
    WorkerId = j.HolderId,
    AssignedAt = (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))),
    RunOrder = j.RunOrder,
    AssignedEstimateMs = j.EstimateMs,
    Channel = j.Channel
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.HolderId') AS HolderId,
          json_extract(value, '$.FromId') AS FromId, json_extract(value, '$.RunOrder') AS RunOrder,
          json_extract(value, '$.EstimateMs') AS EstimateMs, json_extract(value, '$.Channel') AS Channel
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND State = 5 AND WorkerId = j.FromId;

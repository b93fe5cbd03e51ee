-- assign_rows: the beginning of assign and of reassign: what they set, and the batch that it comes
-- from.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the database clock)
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 5,
    WorkerId = j.HolderId,
    AssignedAt = {{now_once}},
    RunOrder = j.RunOrder,
    AssignedEstimateMs = j.EstimateMs,
    Channel = j.Channel
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.HolderId') AS HolderId,
          json_extract(value, '$.FromId') AS FromId, json_extract(value, '$.RunOrder') AS RunOrder,
          json_extract(value, '$.EstimateMs') AS EstimateMs, json_extract(value, '$.Channel') AS Channel
      FROM jsonb_each(@rows)) j

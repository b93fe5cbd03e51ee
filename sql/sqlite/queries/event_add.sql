-- event_add: raise events, in the transaction of what they report.
-- In:  rows [{Kind, Queue, Pipeline, Worker, Item, Detail}]; Item is NULL for none. now (NULL: the database clock)
INSERT INTO BotEvents (At, Kind, QueueName, Pipeline, WorkerName, ItemId, Detail)
SELECT {{now}}, j.Kind, j.Queue, j.Pipeline, j.Worker, j.Item, j.Detail
FROM (SELECT json_extract(value, '$.Kind') AS Kind, json_extract(value, '$.Queue') AS Queue, json_extract(value, '$.Pipeline') AS Pipeline, json_extract(value, '$.Worker') AS Worker, json_extract(value, '$.Item') AS Item, json_extract(value, '$.Detail') AS Detail
      FROM jsonb_each(@rows)) j;

INSERT INTO BotEvents (At, Kind, QueueName, Pipeline, WorkerName, ItemId, Detail)
SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), j.Kind, j.Queue, j.Pipeline, j.Worker, j.Item, j.Detail
FROM (SELECT json_extract(value, '$.Kind') AS Kind, json_extract(value, '$.Queue') AS Queue, json_extract(value, '$.Pipeline') AS Pipeline, json_extract(value, '$.Worker') AS Worker, json_extract(value, '$.Item') AS Item, json_extract(value, '$.Detail') AS Detail
      FROM jsonb_each(@rows)) j;

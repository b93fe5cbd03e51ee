-- event_add: raise events, in the transaction of what they report.
-- In:  rows [{Kind, Queue, Pipeline, Worker, Item, Detail}]; Item is NULL for none. now (NULL: the database clock)
INSERT INTO BotEvents (At, Kind, QueueName, Pipeline, WorkerName, ItemId, Detail)
SELECT {{now}}, j.Kind, j.Queue, j.Pipeline, j.Worker, j.Item, j.Detail
FROM OPENJSON(@rows) WITH (Kind NVARCHAR(MAX) '$.Kind', Queue NVARCHAR(MAX) '$.Queue', Pipeline NVARCHAR(MAX) '$.Pipeline', Worker NVARCHAR(MAX) '$.Worker', Item BIGINT '$.Item', Detail NVARCHAR(MAX) '$.Detail') j;

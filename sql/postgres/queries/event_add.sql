-- event_add: raise events, in the transaction of what they report.
-- In:  rows [{Kind, Queue, Pipeline, Worker, Item, Detail}]; Item is NULL for none. now (NULL: the database clock)
INSERT INTO "BotEvents" ("At", "Kind", "QueueName", "Pipeline", "WorkerName", "ItemId", "Detail")
SELECT {{now}}, j."Kind", j."Queue", j."Pipeline", j."Worker", j."Item", j."Detail"
FROM json_to_recordset(CAST(@rows AS json)) AS j("Kind" text, "Queue" text, "Pipeline" text, "Worker" text, "Item" bigint, "Detail" text);

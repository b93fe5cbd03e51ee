INSERT INTO "BotEvents" ("At", "Kind", "QueueName", "Pipeline", "WorkerName", "ItemId", "Detail")
SELECT CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), j."Kind", j."Queue", j."Pipeline", j."Worker", j."Item", j."Detail"
FROM json_to_recordset(CAST(@rows AS json)) AS j("Kind" text, "Queue" text, "Pipeline" text, "Worker" text, "Item" bigint, "Detail" text);

-- gauge_turn: insert the sample of the whole cluster for a minute. The process that inserts it takes the
-- samples of the queues. It has no queue.
-- In:  starts
INSERT INTO "BotStatisticsGauges" ("Resolution", "StartsAt", "Kind", "QueueName", "Band", "Name", "Samples")
VALUES ('minute', CAST(@starts AS timestamptz), '', '', '', '', 1)
ON CONFLICT ("Resolution", "Kind", "StartsAt", "QueueName", "Band", "Name") DO NOTHING;

INSERT INTO "BotStatisticsGauges" ("Resolution", "StartsAt", "Kind", "QueueName", "Band", "Name", "Samples")
VALUES ('minute', CAST(@starts AS timestamptz), '', '', '', '', 1)
ON CONFLICT ("Resolution", "Kind", "StartsAt", "QueueName", "Band", "Name") DO NOTHING;

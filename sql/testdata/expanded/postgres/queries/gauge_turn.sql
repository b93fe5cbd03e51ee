INSERT INTO "BotStatisticsGauges" ("Resolution", "StartsAt", "QueueName", "Band", "Samples")
VALUES ('minute', CAST(@starts AS timestamptz), '', '', 1)
ON CONFLICT ("Resolution", "StartsAt", "QueueName", "Band") DO NOTHING;

INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Event")
SELECT CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), q."Name", 'incomplete'
FROM "BotQueues" q;

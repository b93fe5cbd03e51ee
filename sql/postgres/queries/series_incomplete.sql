-- series_incomplete: record that the statistics over time of all queues differ from the items until now: the
-- items were changed by hand.
-- In:  now (NULL: the database clock)
INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Event")
SELECT {{now}}, q."Name", 'incomplete'
FROM "BotQueues" q;

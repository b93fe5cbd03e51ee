-- identities: the latest ids of the tables whose ids running programs remember.
-- Out: the table; the latest id (NULL: none, or hidden)
SELECT t.column1, (SELECT q.seq FROM sqlite_sequence q WHERE q.name = t.column1)
FROM (VALUES ('BotPipelineRuns'), ('BotWorkQueueItems'), ('BotWorkers')) t;

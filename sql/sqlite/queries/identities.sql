-- identities: the latest ids that were given, in the tables whose ids running programs keep.
-- Out: the table; the latest id (NULL: none, or not to be seen)
SELECT t.column1, (SELECT q.seq FROM sqlite_sequence q WHERE q.name = t.column1)
FROM (VALUES ('BotPipelineRuns'), ('BotWorkQueueItems'), ('BotWorkers')) t;

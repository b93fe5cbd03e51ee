SELECT t.column1, (SELECT q.seq FROM sqlite_sequence q WHERE q.name = t.column1)
FROM (VALUES ('BotPipelineRuns'), ('BotWorkQueueItems'), ('BotWorkers')) t;

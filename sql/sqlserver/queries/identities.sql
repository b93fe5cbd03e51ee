-- identities: the latest ids that were given, in the tables whose ids running programs keep.
-- Out: the table; the latest id (NULL: none, or not to be seen)
SELECT N'BotPipelineRuns', CAST(IDENT_CURRENT(N'BotPipelineRuns') AS BIGINT)
UNION ALL
SELECT N'BotWorkQueueItems', CAST(IDENT_CURRENT(N'BotWorkQueueItems') AS BIGINT)
UNION ALL
SELECT N'BotWorkers', CAST(IDENT_CURRENT(N'BotWorkers') AS BIGINT);

-- identities: the latest ids of the tables whose ids running programs remember.
-- Out: the table; the latest id (NULL: none, or hidden)
SELECT N'BotPipelineRuns', CAST(IDENT_CURRENT(N'BotPipelineRuns') AS BIGINT)
UNION ALL
SELECT N'BotWorkQueueItems', CAST(IDENT_CURRENT(N'BotWorkQueueItems') AS BIGINT)
UNION ALL
SELECT N'BotWorkers', CAST(IDENT_CURRENT(N'BotWorkers') AS BIGINT);

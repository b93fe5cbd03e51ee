-- identities: the latest ids of the tables whose ids running programs remember.
-- Out: the table; the latest id (NULL: none, or hidden)
SELECT t."Table",
    CASE WHEN has_sequence_privilege(t."Name", 'SELECT, USAGE') THEN pg_sequence_last_value(CAST(t."Name" AS regclass)) END
FROM (VALUES
    ('BotPipelineRuns', pg_get_serial_sequence('"BotPipelineRuns"', 'Id')),
    ('BotWorkQueueItems', pg_get_serial_sequence('"BotWorkQueueItems"', 'Id')),
    ('BotWorkers', pg_get_serial_sequence('"BotWorkers"', 'Id'))) AS t("Table", "Name");

-- text_new: keep texts that are not there yet.
-- In:  rows [{Hash, Pipeline, Body}], now (NULL: the database clock)
-- A unique key refuses what somebody else has kept meanwhile: the caller looks again.
INSERT INTO BotPipelineTexts (Hash, Pipeline, Body, LoadedAt, UsedAt)
SELECT j.Hash, j.Pipeline, j.Body, {{now}}, {{now}}
FROM OPENJSON(@rows) WITH (Hash NVARCHAR(64) '$.Hash', Pipeline NVARCHAR(200) '$.Pipeline', Body NVARCHAR(MAX) '$.Body') j
WHERE NOT EXISTS (SELECT 1 FROM BotPipelineTexts t WHERE t.Hash = j.Hash AND t.Pipeline = j.Pipeline);

-- text_new: insert new texts.
-- In:  rows [{Hash, Pipeline, Body}], now (NULL: the database clock)
-- A unique key refuses texts that another process has inserted meanwhile: the caller tries again.
INSERT INTO BotPipelineTexts (Hash, Pipeline, Body, LoadedAt, UsedAt)
SELECT j.Hash, j.Pipeline, j.Body, {{now}}, {{now}}
FROM (SELECT json_extract(value, '$.Hash') AS Hash, json_extract(value, '$.Pipeline') AS Pipeline, json_extract(value, '$.Body') AS Body
      FROM jsonb_each(@rows)) j
WHERE NOT EXISTS (SELECT 1 FROM BotPipelineTexts t WHERE t.Hash = j.Hash AND t.Pipeline = j.Pipeline);

-- text_used: record that workers use texts.
-- In:  rows [{Hash, Pipeline}], now (NULL: the database clock)
UPDATE BotPipelineTexts SET
    UsedAt = {{now}}
FROM (SELECT json_extract(value, '$.Hash') AS Hash, json_extract(value, '$.Pipeline') AS Pipeline
      FROM jsonb_each(@rows)) j
WHERE BotPipelineTexts.Hash = j.Hash AND BotPipelineTexts.Pipeline = j.Pipeline;

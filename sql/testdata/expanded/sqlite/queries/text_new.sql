INSERT INTO BotPipelineTexts (Hash, Pipeline, Body, LoadedAt, UsedAt)
SELECT j.Hash, j.Pipeline, j.Body, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
FROM (SELECT json_extract(value, '$.Hash') AS Hash, json_extract(value, '$.Pipeline') AS Pipeline, json_extract(value, '$.Body') AS Body
      FROM jsonb_each(@rows)) j
WHERE NOT EXISTS (SELECT 1 FROM BotPipelineTexts t WHERE t.Hash = j.Hash AND t.Pipeline = j.Pipeline);

UPDATE BotPipelineTexts SET
    UsedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
FROM (SELECT json_extract(value, '$.Hash') AS Hash, json_extract(value, '$.Pipeline') AS Pipeline
      FROM jsonb_each(@rows)) j
WHERE BotPipelineTexts.Hash = j.Hash AND BotPipelineTexts.Pipeline = j.Pipeline;

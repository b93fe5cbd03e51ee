-- text_used: record that workers use texts.
-- In:  rows [{Hash, Pipeline}], now (NULL: the database clock)
UPDATE t SET
    UsedAt = {{now}}
FROM BotPipelineTexts t
JOIN OPENJSON(@rows) WITH (Hash NVARCHAR(64) '$.Hash', Pipeline NVARCHAR(200) '$.Pipeline') j
  ON j.Hash = t.Hash AND j.Pipeline = t.Pipeline;

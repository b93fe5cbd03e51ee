UPDATE t SET
    UsedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM BotPipelineTexts t
JOIN OPENJSON(@rows) WITH (Hash NVARCHAR(64) '$.Hash', Pipeline NVARCHAR(200) '$.Pipeline') j
  ON j.Hash = t.Hash AND j.Pipeline = t.Pipeline;

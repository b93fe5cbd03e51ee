INSERT INTO BotPipelineTexts (Hash, Pipeline, Body, LoadedAt, UsedAt)
SELECT j.Hash, j.Pipeline, j.Body, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM OPENJSON(@rows) WITH (Hash NVARCHAR(64) '$.Hash', Pipeline NVARCHAR(200) '$.Pipeline', Body NVARCHAR(MAX) '$.Body') j
WHERE NOT EXISTS (SELECT 1 FROM BotPipelineTexts t WHERE t.Hash = j.Hash AND t.Pipeline = j.Pipeline);

UPDATE BotApiAnswers SET
    RequestHash = @request_hash,
    Status = 0,
    Body = N'',
    At = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE KeyHash = CAST(@key_hash AS NVARCHAR(450))
  AND (At <= DATEADD(millisecond, -(CAST(@age_ms AS BIGINT) % 1000), DATEADD(second, -(CAST(@age_ms AS BIGINT) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
    OR Status = 0 AND RequestHash = CAST(@request_hash AS NVARCHAR(450)) AND At <= DATEADD(millisecond, -(CAST(@patience_ms AS BIGINT) % 1000), DATEADD(second, -(CAST(@patience_ms AS BIGINT) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))));

UPDATE BotRunRequests SET State = N'expired'
WHERE Pipeline = CAST(@pipeline AS NVARCHAR(450)) AND State = N'pending' AND ExpiresAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)));

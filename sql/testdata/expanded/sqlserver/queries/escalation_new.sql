INSERT INTO BotEscalations (Scope, OwnerName, RuleName, CheckedAt, ActiveSince)
OUTPUT inserted.Id, inserted.ActiveSince, inserted.ActedAt, inserted.CheckedAt
SELECT CAST(@scope AS NVARCHAR(450)), CAST(@owner AS NVARCHAR(450)), CAST(@rule_name AS NVARCHAR(450)), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), CASE WHEN @holds = 1 AND @conditional = 1 THEN COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) END
WHERE NOT EXISTS (SELECT 1 FROM BotEscalations e WHERE e.Scope = CAST(@scope AS NVARCHAR(450)) AND e.OwnerName = CAST(@owner AS NVARCHAR(450)) AND e.RuleName = CAST(@rule_name AS NVARCHAR(450)));

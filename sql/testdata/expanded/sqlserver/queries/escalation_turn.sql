UPDATE BotEscalations SET
    CheckedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    ActiveSince = CASE WHEN @holds = 1 AND @conditional = 1 THEN COALESCE(ActiveSince, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))) END
OUTPUT inserted.Id, inserted.ActiveSince, inserted.ActedAt, inserted.CheckedAt
WHERE Scope = CAST(@scope AS NVARCHAR(450)) AND OwnerName = CAST(@owner AS NVARCHAR(450)) AND RuleName = CAST(@rule_name AS NVARCHAR(450)) AND CheckedAt <= DATEADD(millisecond, -(@turn_ms % 1000), DATEADD(second, -(@turn_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))));

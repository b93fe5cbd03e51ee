UPDATE BotAuditLog SET
    Changed = Changed + @changed,
    Target = CASE WHEN Target = CAST(@target AS NVARCHAR(450)) THEN Target ELSE N'' END
OUTPUT inserted.Id
WHERE Operation = CAST(@operation AS NVARCHAR(450)) AND Action = CAST(@action AS NVARCHAR(450));

DELETE FROM BotDurations
WHERE Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotDurations c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.UpdatedAt <= (SELECT MAX(b.Bound) FROM (
            SELECT DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) AS Bound
            UNION ALL
            SELECT k.UpdatedAt FROM (SELECT d.UpdatedAt FROM BotDurations d WITH (READPAST, READCOMMITTEDLOCK) ORDER BY d.UpdatedAt DESC, d.Id DESC OFFSET @keep ROWS FETCH NEXT 1 ROWS ONLY) k) b)
    ORDER BY c.UpdatedAt, c.Id);

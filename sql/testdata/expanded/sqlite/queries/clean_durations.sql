DELETE FROM BotDurations
WHERE Id IN (
    SELECT c.Id FROM BotDurations c
    WHERE c.UpdatedAt <= (SELECT MAX(b.Bound) FROM (
            SELECT strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AS Bound
            UNION ALL
            SELECT k.UpdatedAt FROM (SELECT d.UpdatedAt FROM BotDurations d ORDER BY d.UpdatedAt DESC, d.Id DESC LIMIT 1 OFFSET CAST(@keep AS INTEGER)) k) b)
    ORDER BY c.UpdatedAt, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));

-- clean_durations: remove what was learned of keys that nothing was learned of for
-- an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM BotDurations
WHERE Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotDurations c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.UpdatedAt <= DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
    ORDER BY c.UpdatedAt, c.Id);

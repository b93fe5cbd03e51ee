-- clean_durations: remove learned durations of keys that have not been updated for an age, and all
-- but the latest keys: if the natural keys of a pipeline all begin differently, each item makes a
-- key.
-- In:  age_ms, keep, limit_rows, now (NULL: the database clock)
DELETE t
FROM BotDurations t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotDurations c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.UpdatedAt <= (SELECT MAX(b.Bound) FROM (
            SELECT {{now_minus ms=@age_ms}} AS Bound
            UNION ALL
            SELECT k.UpdatedAt FROM (SELECT d.UpdatedAt FROM BotDurations d WITH (READPAST, READCOMMITTEDLOCK) ORDER BY d.UpdatedAt DESC, d.Id DESC OFFSET @keep ROWS FETCH NEXT 1 ROWS ONLY) k) b)
    ORDER BY c.UpdatedAt, c.Id);

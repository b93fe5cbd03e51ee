-- clean_durations: remove what was learned of keys that nothing was learned of for
-- an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM BotDurations
WHERE Id IN (
    SELECT c.Id FROM BotDurations c
    WHERE c.UpdatedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0))
    ORDER BY c.UpdatedAt, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));

-- clean_forecasts: remove forecasts that have reached an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE t
FROM BotForecasts t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE MadeAt <= {{now_minus ms=@age_ms}} AND Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotForecasts c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.MadeAt <= {{now_minus ms=@age_ms}}
    ORDER BY c.MadeAt, c.Id);

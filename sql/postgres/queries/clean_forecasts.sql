-- clean_forecasts: remove forecasts that have reached an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM "BotForecasts"
WHERE "MadeAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}} AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotForecasts" c
    WHERE c."MadeAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}}
    ORDER BY c."MadeAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));

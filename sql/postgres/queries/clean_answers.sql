-- clean_answers: remove answers to requests that are older than an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM "BotApiAnswers"
WHERE "At" <= {{now_minus ms=CAST(@age_ms AS bigint)}} AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotApiAnswers" c
    WHERE c."At" <= {{now_minus ms=CAST(@age_ms AS bigint)}}
    ORDER BY c."At", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));

-- clean_answers: remove answers to requests that are older than an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM BotApiAnswers
WHERE At <= {{now_minus ms=@age_ms}} AND Id IN (
    SELECT c.Id FROM BotApiAnswers c
    WHERE c.At <= {{now_minus ms=@age_ms}}
    ORDER BY c.At, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));

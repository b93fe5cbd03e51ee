-- clean_answers: remove answers to requests that are older than an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE t
FROM BotApiAnswers t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE At <= {{now_minus ms=CAST(@age_ms AS BIGINT)}} AND Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotApiAnswers c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.At <= {{now_minus ms=CAST(@age_ms AS BIGINT)}}
    ORDER BY c.At, c.Id);

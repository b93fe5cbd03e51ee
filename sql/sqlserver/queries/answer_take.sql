-- answer_take: reserve the key of a request whose first caller did not answer in time, or of an answer that
-- is old enough to be removed.
-- In:  key_hash, request_hash, patience_ms, age_ms, now (NULL: the database clock)
UPDATE BotApiAnswers SET
    RequestHash = @request_hash,
    Status = 0,
    Body = N'',
    At = {{now}}
WHERE KeyHash = CAST(@key_hash AS NVARCHAR(450))
  AND (At <= {{now_minus ms=CAST(@age_ms AS BIGINT)}}
    OR Status = 0 AND RequestHash = CAST(@request_hash AS NVARCHAR(450)) AND At <= {{now_minus ms=CAST(@patience_ms AS BIGINT)}});

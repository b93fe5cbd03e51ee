-- answer_take: reserve the key of a request whose first caller did not answer in time, or of an answer that
-- is old enough to be removed.
-- In:  key_hash, request_hash, patience_ms, age_ms, now (NULL: the database clock)
UPDATE BotApiAnswers SET
    RequestHash = @request_hash,
    Status = 0,
    Body = '',
    At = {{now}}
WHERE KeyHash = @key_hash
  AND (At <= {{now_minus ms=@age_ms}}
    OR Status = 0 AND RequestHash = @request_hash AND At <= {{now_minus ms=@patience_ms}});

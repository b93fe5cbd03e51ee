-- answer_take: reserve the key of a request whose first caller did not answer in time, or of an answer that
-- is old enough to be removed.
-- In:  key_hash, request_hash, patience_ms, age_ms, now (NULL: the database clock)
UPDATE "BotApiAnswers" SET
    "RequestHash" = CAST(@request_hash AS varchar),
    "Status" = 0,
    "Body" = '',
    "At" = {{now}}
WHERE "KeyHash" = CAST(@key_hash AS varchar)
  AND ("At" <= {{now_minus ms=CAST(@age_ms AS bigint)}}
    OR "Status" = 0 AND "RequestHash" = CAST(@request_hash AS varchar) AND "At" <= {{now_minus ms=CAST(@patience_ms AS bigint)}});

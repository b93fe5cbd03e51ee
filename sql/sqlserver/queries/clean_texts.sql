-- clean_texts: remove texts that no worker has used for an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
-- A worker may use a text again meanwhile: the outer WHERE repeats the age.
DELETE t
FROM BotPipelineTexts t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE UsedAt <= {{now_minus ms=@age_ms}} AND Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotPipelineTexts c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.UsedAt <= {{now_minus ms=@age_ms}}
    ORDER BY c.UsedAt, c.Id);

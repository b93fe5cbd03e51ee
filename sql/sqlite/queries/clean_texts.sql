-- clean_texts: remove texts that no worker has used for an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
-- A worker may use a text again meanwhile: the outer WHERE repeats the age.
DELETE FROM BotPipelineTexts
WHERE UsedAt <= {{now_minus ms=@age_ms}} AND Id IN (
    SELECT c.Id FROM BotPipelineTexts c
    WHERE c.UsedAt <= {{now_minus ms=@age_ms}}
    ORDER BY c.UsedAt, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));

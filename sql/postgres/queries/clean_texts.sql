-- clean_texts: remove texts that no worker has used for an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
-- A worker may use a text again meanwhile: the outer WHERE repeats the age.
DELETE FROM "BotPipelineTexts"
WHERE "UsedAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}} AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotPipelineTexts" c
    WHERE c."UsedAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}}
    ORDER BY c."UsedAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));

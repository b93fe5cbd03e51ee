-- clean_requests: remove requests for runs that have reached an age and whose run is removed.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM "BotRunRequests"
WHERE "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotRunRequests" c
    WHERE c."RequestedAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}} AND c."ExpiresAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}}
      AND NOT EXISTS (SELECT 1 FROM "BotPipelineRuns" r WHERE r."Id" = c."RunId")
    ORDER BY c."RequestedAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE OF c SKIP LOCKED));

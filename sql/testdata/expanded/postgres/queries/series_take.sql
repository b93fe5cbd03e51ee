DELETE FROM "BotStatistics"
WHERE "Id" = ANY(ARRAY(
    SELECT s."Id" FROM "BotStatistics" s
    WHERE s."KeyHash" = ANY(ARRAY(SELECT j."Hash" FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" text)))
    ORDER BY s."Id"
    FOR UPDATE SKIP LOCKED))
RETURNING "KeyHash", "Figures";

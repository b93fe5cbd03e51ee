-- series_take: remove the sums of periods that are about to be written again with more added. A row
-- that another transaction is taking may be missed: then two rows are for the same period, and both count.
-- In:  rows [{Hash}]
-- Out: the hash and the figures of the removed rows.
DELETE FROM "BotStatistics"
WHERE "Id" = ANY(ARRAY(
    SELECT s."Id" FROM "BotStatistics" s
    WHERE s."KeyHash" = ANY(ARRAY(SELECT j."Hash" FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" text)))
    ORDER BY s."Id"
    FOR UPDATE SKIP LOCKED))
RETURNING "KeyHash", "Figures";

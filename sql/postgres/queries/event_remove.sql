-- event_remove: remove the events that an evaluation has read, in its transaction.
-- In:  rows [{EventId}]
DELETE FROM "BotEvents"
WHERE "Id" IN (SELECT j."EventId" FROM json_to_recordset(CAST(@rows AS json)) AS j("EventId" bigint));

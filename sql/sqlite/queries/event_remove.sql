-- event_remove: remove the events that an evaluation has read, in its transaction.
-- In:  rows [{EventId}]
DELETE FROM BotEvents
WHERE Id IN (SELECT json_extract(value, '$.EventId') FROM jsonb_each(@rows));

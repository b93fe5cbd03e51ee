-- event_remove: remove the events that an evaluation has read, in its transaction.
-- In:  rows [{EventId}]
DELETE FROM BotEvents
WHERE Id IN (SELECT j.EventId FROM OPENJSON(@rows) WITH (EventId BIGINT '$.EventId') j);

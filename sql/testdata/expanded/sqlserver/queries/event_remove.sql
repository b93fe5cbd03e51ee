DELETE FROM BotEvents
WHERE Id IN (SELECT j.EventId FROM OPENJSON(@rows) WITH (EventId BIGINT '$.EventId') j);

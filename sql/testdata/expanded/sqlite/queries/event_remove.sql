DELETE FROM BotEvents
WHERE Id IN (SELECT json_extract(value, '$.EventId') FROM jsonb_each(@rows));

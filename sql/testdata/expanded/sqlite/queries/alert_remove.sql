DELETE FROM BotAlerts
WHERE KeyHash IN (SELECT json_extract(value, '$.Hash') FROM jsonb_each(@rows));

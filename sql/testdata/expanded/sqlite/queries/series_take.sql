DELETE FROM BotStatistics
WHERE KeyHash IN (SELECT json_extract(value, '$.Hash') FROM jsonb_each(@rows))
RETURNING KeyHash, Figures;

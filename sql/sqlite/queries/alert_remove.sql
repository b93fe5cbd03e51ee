-- alert_remove: remove alerts, in the transaction of an evaluation, which then adds those that it keeps.
-- In:  rows [{Hash}]
DELETE FROM BotAlerts
WHERE KeyHash IN (SELECT json_extract(value, '$.Hash') FROM jsonb_each(@rows));

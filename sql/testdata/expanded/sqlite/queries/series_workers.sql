SELECT w.Id, w.Name
FROM BotWorkers w
WHERE w.Id IN (SELECT json_extract(value, '$.WorkerId') FROM jsonb_each(@rows));

-- series_workers: the names of workers.
-- In:  rows [{WorkerId}]
-- Out: id, name.
SELECT w.Id, w.Name
FROM BotWorkers w
WHERE w.Id IN (SELECT json_extract(value, '$.WorkerId') FROM jsonb_each(@rows));

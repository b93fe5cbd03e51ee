SELECT w.Id, w.Name
FROM BotWorkers w
WHERE w.Id IN (SELECT j.WorkerId FROM OPENJSON(@rows) WITH (WorkerId BIGINT '$.WorkerId') j);

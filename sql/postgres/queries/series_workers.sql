-- series_workers: the names of workers.
-- In:  rows [{WorkerId}]
-- Out: id, name.
SELECT w."Id", w."Name"
FROM "BotWorkers" w
WHERE w."Id" = ANY(ARRAY(SELECT j."WorkerId" FROM json_to_recordset(CAST(@rows AS json)) AS j("WorkerId" bigint)));

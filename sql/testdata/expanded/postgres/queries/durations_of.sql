SELECT d."KeyHash", d."Kind", d."Pipeline", d."Name", d."Runs", d."MeanMs", d."ErrorMs", d."Histogram", d."Version", d."UpdatedAt"
FROM "BotDurations" d
WHERE d."KeyHash" = ANY (ARRAY(SELECT j."KeyHash" FROM json_to_recordset(CAST(@rows AS json)) AS j("KeyHash" text)))
ORDER BY d."KeyHash"
FOR UPDATE OF d;

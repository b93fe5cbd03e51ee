-- durations_of: the learned durations of some keys.
-- In:  rows [{KeyHash}]
-- Out: the existing keys; the others are new.
-- FOR UPDATE: another process that learns durations of these keys waits instead of retrying.
SELECT d."KeyHash", d."Kind", d."Pipeline", d."Name", d."Runs", d."MeanMs", d."ErrorMs", d."Histogram", d."Version", d."UpdatedAt"
FROM "BotDurations" d
WHERE d."KeyHash" = ANY (ARRAY(SELECT j."KeyHash" FROM json_to_recordset(CAST(@rows AS json)) AS j("KeyHash" text)))
ORDER BY d."KeyHash"
FOR UPDATE OF d;

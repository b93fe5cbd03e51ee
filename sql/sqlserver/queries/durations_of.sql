-- durations_of: the learned durations of some keys.
-- In:  rows [{KeyHash}]
-- Out: the existing keys; the others are new.
-- UPDLOCK: another process that learns durations of these keys waits instead of retrying.
SELECT d.KeyHash, d.Kind, d.Pipeline, d.Name, d.Runs, d.MeanMs, d.ErrorMs, d.Histogram, d.Version, d.UpdatedAt
FROM BotDurations d WITH (UPDLOCK, ROWLOCK)
WHERE d.KeyHash IN (SELECT j.KeyHash FROM OPENJSON(@rows) WITH (KeyHash NVARCHAR(64) '$.KeyHash') j)
ORDER BY d.KeyHash;

-- durations_of: the learned durations of some keys.
-- In:  rows [{KeyHash}]
-- Out: the existing keys; the others are new.
SELECT d.KeyHash, d.Kind, d.Pipeline, d.Name, d.Runs, d.MeanMs, d.ErrorMs, d.Histogram, d.Version, d.UpdatedAt
FROM BotDurations d
WHERE d.KeyHash IN (SELECT json_extract(value, '$.KeyHash') FROM jsonb_each(@rows))
ORDER BY d.KeyHash;

-- learn: update the learned durations of keys, unless another process has updated them since they
-- were read.
-- In:  rows [{KeyHash, OldVersion, Runs, MeanMs, P90Ms, ErrorMs, Histogram}], now (NULL: the database clock)
UPDATE BotDurations SET
    Runs = j.Runs,
    MeanMs = j.MeanMs,
    P90Ms = j.P90Ms,
    ErrorMs = j.ErrorMs,
    Histogram = j.Histogram,
    Version = Version + 1,
    UpdatedAt = {{now}}
FROM (SELECT json_extract(value, '$.KeyHash') AS KeyHash, json_extract(value, '$.OldVersion') AS OldVersion,
        json_extract(value, '$.Runs') AS Runs, json_extract(value, '$.MeanMs') AS MeanMs, json_extract(value, '$.P90Ms') AS P90Ms,
        json_extract(value, '$.ErrorMs') AS ErrorMs, json_extract(value, '$.Histogram') AS Histogram
      FROM jsonb_each(@rows)) j
WHERE BotDurations.KeyHash = j.KeyHash AND BotDurations.Version = j.OldVersion;

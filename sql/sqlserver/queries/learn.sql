-- learn: update the learned durations of keys, unless another process has updated them since they
-- were read.
-- In:  rows [{KeyHash, OldVersion, Runs, MeanMs, P90Ms, ErrorMs, Histogram}], now (NULL: the database clock)
UPDATE t SET
    Runs = j.Runs,
    MeanMs = j.MeanMs,
    P90Ms = j.P90Ms,
    ErrorMs = j.ErrorMs,
    Histogram = j.Histogram,
    Version = t.Version + 1,
    UpdatedAt = {{now}}
FROM BotDurations t
JOIN OPENJSON(@rows) WITH (KeyHash NVARCHAR(64) '$.KeyHash', OldVersion BIGINT '$.OldVersion', Runs BIGINT '$.Runs',
    MeanMs FLOAT '$.MeanMs', P90Ms BIGINT '$.P90Ms', ErrorMs FLOAT '$.ErrorMs', Histogram NVARCHAR(MAX) '$.Histogram') j
  ON j.KeyHash = t.KeyHash
WHERE t.Version = j.OldVersion;

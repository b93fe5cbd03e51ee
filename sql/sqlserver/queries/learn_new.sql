-- learn_new: insert the learned durations of new keys. A unique key refuses keys that another
-- process has inserted meanwhile.
-- In:  rows [{KeyHash, Kind, Pipeline, Name, Runs, MeanMs, P90Ms, ErrorMs, Histogram}], now (NULL: the database clock)
INSERT INTO BotDurations (KeyHash, Kind, Pipeline, Name, Runs, MeanMs, P90Ms, ErrorMs, Histogram, UpdatedAt)
SELECT j.KeyHash, j.Kind, j.Pipeline, j.Name, j.Runs, j.MeanMs, j.P90Ms, j.ErrorMs, j.Histogram,
    {{now}}
FROM OPENJSON(@rows) WITH (KeyHash NVARCHAR(64) '$.KeyHash', Kind NVARCHAR(20) '$.Kind', Pipeline NVARCHAR(200) '$.Pipeline',
    Name NVARCHAR(400) '$.Name', Runs BIGINT '$.Runs', MeanMs FLOAT '$.MeanMs', P90Ms BIGINT '$.P90Ms',
    ErrorMs FLOAT '$.ErrorMs', Histogram NVARCHAR(MAX) '$.Histogram') j;

-- learn_new: insert the learned durations of new keys. A unique key refuses keys that another
-- process has inserted meanwhile.
-- In:  rows [{KeyHash, Kind, Pipeline, Name, Runs, MeanMs, P90Ms, ErrorMs, Histogram}], now (NULL: the database clock)
INSERT INTO BotDurations (KeyHash, Kind, Pipeline, Name, Runs, MeanMs, P90Ms, ErrorMs, Histogram, UpdatedAt)
SELECT json_extract(value, '$.KeyHash'), json_extract(value, '$.Kind'), json_extract(value, '$.Pipeline'), json_extract(value, '$.Name'),
    json_extract(value, '$.Runs'), json_extract(value, '$.MeanMs'), json_extract(value, '$.P90Ms'), json_extract(value, '$.ErrorMs'),
    json_extract(value, '$.Histogram'), {{now}}
FROM jsonb_each(@rows);

-- duration_class: the class of a duration in milliseconds: see workqueue.DurationBucket. -1 if it is NULL.
-- Parameters: ms
CASE WHEN {{ms}} IS NULL THEN -1 WHEN {{ms}} < 1 THEN 0 ELSE LEAST(CAST(CEIL(LN(CAST({{ms}} AS double precision)) / LN(CAST(1.1 AS double precision))) AS int), 298) + 1 END

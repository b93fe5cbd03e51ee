-- band_of: the name of the band of a priority.
-- Parameters: priority
CASE WHEN {{priority}} > 1000 THEN N'high' WHEN {{priority}} >= 500 THEN N'medium' ELSE N'low' END

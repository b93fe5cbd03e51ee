-- band_of: the name of the band of a priority.
-- Parameters: priority
CASE WHEN {{priority}} > 1000 THEN 'high' WHEN {{priority}} >= 500 THEN 'medium' ELSE 'low' END

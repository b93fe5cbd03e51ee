-- firing_count: the number of records of all schedules.
-- In:  -
SELECT COUNT(*) FROM BotScheduleFirings f;

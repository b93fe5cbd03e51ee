-- firing_count: how many records the schedules have.
-- In:  -
SELECT COUNT(*) FROM BotScheduleFirings f;

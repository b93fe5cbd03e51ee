-- notify_state: what the last evaluation has written, and the clock.
-- In:  now (NULL: the database clock)
-- Out: version, time of the evaluation (NULL: none yet), who made it, positions, now.
SELECT s.Version, s.EvaluatedAt, s.EvaluatedBy, s.Positions, {{now}}
FROM BotNotificationState s
WHERE s.Id = 1;

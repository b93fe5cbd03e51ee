-- notify_turn: begin the transaction of an evaluation. It changes no row if another evaluation was written since
-- the version was read; until the transaction ends, no other one can be written.
-- In:  version, positions, by, now (NULL: the database clock)
UPDATE BotNotificationState SET
    Version = Version + 1,
    EvaluatedAt = {{now}},
    EvaluatedBy = @by,
    Positions = @positions
WHERE Id = 1 AND Version = @version;

UPDATE BotNotificationState SET
    Version = Version + 1,
    EvaluatedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    EvaluatedBy = @by,
    Positions = @positions
WHERE Id = 1 AND Version = @version;

UPDATE BotRunRequests SET
    State = 'started',
    WorkerId = @worker,
    StartedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE Id = @request AND State = 'pending' AND ExpiresAt > COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'));

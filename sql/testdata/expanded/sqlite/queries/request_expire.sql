UPDATE BotRunRequests SET State = 'expired'
WHERE Pipeline = @pipeline AND State = 'pending' AND ExpiresAt <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'));

SELECT CASE WHEN EXISTS (SELECT 1 FROM BotWorkers w WHERE w.State = 'active' AND w.LeaseExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) THEN 1 ELSE 0 END;

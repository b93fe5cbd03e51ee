SELECT COUNT(*) FROM BotWorkItemAttempts a WHERE a.ItemId > @after_id AND a.ItemId <= @last_id;

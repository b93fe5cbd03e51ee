-- attempt_count: how many attempts the items of a page have.
-- In:  after_id, last_id
SELECT COUNT(*) FROM "BotWorkItemAttempts" a WHERE a."ItemId" > @after_id AND a."ItemId" <= @last_id;

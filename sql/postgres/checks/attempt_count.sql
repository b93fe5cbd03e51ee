-- attempt_count: the number of attempts of the items of a page.
-- In:  after_id, last_id
SELECT COUNT(*) FROM "BotWorkItemAttempts" a WHERE a."ItemId" > @after_id AND a."ItemId" <= @last_id;

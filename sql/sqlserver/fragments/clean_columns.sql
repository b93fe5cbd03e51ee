-- clean_columns: what the statements that look for items to remove return: id, fence, state, 1 for
-- a deleted one, attempts.
SELECT TOP (@limit_rows) c.Id, c.Fence, c.State, CASE WHEN c.DeletedAt IS NULL THEN 0 ELSE 1 END,
    (SELECT COUNT(*) FROM BotWorkItemAttempts a WHERE a.ItemId = c.Id)

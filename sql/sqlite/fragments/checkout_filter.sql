-- checkout_filter: the conditions of an item that a checkout may give out, beside its state and
-- deadline: the policies of its queue were applied, it is due, matches all that the robot asks for, and its limit key is not in full_keys.
-- In:  queue, natural_key, tries_new, tries_once, tries_again, ids, tags_any, full_keys, tags_all, metadata: see checkout;
--      now (NULL: the database clock)
AND c.QueueName = @queue AND c.DeletedAt IS NULL
AND (c.PoliciesApplied = 1 OR c.Fence > 0)
AND c.AvailableAt <= {{now}}
AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= {{now}})
AND (@natural_key IS NULL OR c.NaturalKey = @natural_key)
AND (c.RetryCount = 0 AND @tries_new = 1 OR c.RetryCount = 1 AND @tries_once = 1 OR c.RetryCount > 1 AND @tries_again = 1)
AND (@ids IS NULL OR c.Id IN (SELECT j.ItemId FROM (SELECT json_extract(value, '$.ItemId') AS ItemId FROM jsonb_each(@ids)) j))
AND (@tags_any IS NULL OR EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Piece') AS Piece FROM jsonb_each(@tags_any)) j WHERE instr(c.Tags, j.Piece) > 0))
AND (@full_keys IS NULL OR NOT EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Piece') AS Piece FROM jsonb_each(@full_keys)) j WHERE j.Piece = c.LimitKey))
AND NOT EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Piece') AS Piece FROM jsonb_each(@tags_all)) j WHERE COALESCE(instr(c.Tags, j.Piece), 0) = 0)
AND NOT EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Piece') AS Piece FROM jsonb_each(@metadata)) j WHERE COALESCE(instr(c.Metadata, j.Piece), 0) = 0)

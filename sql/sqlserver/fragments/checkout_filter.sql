-- checkout_filter: the conditions of an item that a checkout may give out, beside its state and
-- deadline: the policies of its queue were applied, it is due, matches all that the robot asks for, and its limit key is not in full_keys.
-- In:  queue, natural_key, tries_new, tries_once, tries_again, ids, tags_any, full_keys, tags_all, metadata: see checkout;
--      now (NULL: the database clock)
AND c.QueueName = CAST(@queue AS NVARCHAR(450)) AND c.DeletedAt IS NULL
AND (c.PoliciesApplied = 1 OR c.Fence > 0)
AND c.AvailableAt <= {{now}}
AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= {{now}})
AND (@natural_key IS NULL OR c.NaturalKey = CAST(@natural_key AS NVARCHAR(450)))
AND (c.RetryCount = 0 AND CAST(@tries_new AS BIGINT) = 1 OR c.RetryCount = 1 AND CAST(@tries_once AS BIGINT) = 1 OR c.RetryCount > 1 AND CAST(@tries_again AS BIGINT) = 1)
AND (@ids IS NULL OR c.Id IN (SELECT j.ItemId FROM OPENJSON(@ids) WITH (ItemId BIGINT '$.ItemId') j))
AND (@tags_any IS NULL OR EXISTS (SELECT 1 FROM OPENJSON(@tags_any) WITH (Piece NVARCHAR(MAX) '$.Piece') j WHERE CHARINDEX(CAST(j.Piece AS NVARCHAR(MAX)) COLLATE Latin1_General_100_BIN2, c.Tags) > 0))
AND (@full_keys IS NULL OR NOT EXISTS (SELECT 1 FROM OPENJSON(@full_keys) WITH (Piece NVARCHAR(MAX) '$.Piece') j WHERE j.Piece = RTRIM(c.LimitKey) COLLATE Latin1_General_100_BIN2))
AND NOT EXISTS (SELECT 1 FROM OPENJSON(@tags_all) WITH (Piece NVARCHAR(MAX) '$.Piece') j WHERE COALESCE(CHARINDEX(CAST(j.Piece AS NVARCHAR(MAX)) COLLATE Latin1_General_100_BIN2, c.Tags), 0) = 0)
AND NOT EXISTS (SELECT 1 FROM OPENJSON(@metadata) WITH (Piece NVARCHAR(MAX) '$.Piece') j WHERE COALESCE(CHARINDEX(CAST(j.Piece AS NVARCHAR(MAX)) COLLATE Latin1_General_100_BIN2, c.Metadata), 0) = 0)

-- checkout_filter: the conditions of an item that a checkout may give out, beside its state and
-- deadline: the policies of its queue were applied, it is due, matches all that the robot asks for, and its limit key is not in full_keys.
-- In:  queue, natural_key, tries_new, tries_once, tries_again, ids, tags_any, full_keys, tags_all, metadata: see checkout;
--      now (NULL: the database clock)
AND c."QueueName" = @queue AND c."DeletedAt" IS NULL
AND (c."PoliciesApplied" OR c."Fence" > 0)
AND c."AvailableAt" <= {{now}}
AND (c."ExpiresAt" IS NULL OR c."ExpiresAt" >= {{now}})
AND (CAST(@natural_key AS text) IS NULL OR c."NaturalKey" = CAST(@natural_key AS text))
AND (c."RetryCount" = 0 AND CAST(@tries_new AS bigint) = 1 OR c."RetryCount" = 1 AND CAST(@tries_once AS bigint) = 1 OR c."RetryCount" > 1 AND CAST(@tries_again AS bigint) = 1)
AND (CAST(@ids AS json) IS NULL OR c."Id" IN (SELECT j."ItemId" FROM json_to_recordset(CAST(@ids AS json)) AS j("ItemId" bigint)))
AND (CAST(@tags_any AS json) IS NULL OR EXISTS (SELECT 1 FROM json_to_recordset(CAST(@tags_any AS json)) AS j("Piece" text) WHERE strpos(c."Tags", j."Piece") > 0))
AND (CAST(@full_keys AS json) IS NULL OR NOT EXISTS (SELECT 1 FROM json_to_recordset(CAST(@full_keys AS json)) AS j("Piece" text) WHERE j."Piece" = c."LimitKey"))
AND NOT EXISTS (SELECT 1 FROM json_to_recordset(CAST(@tags_all AS json)) AS j("Piece" text) WHERE COALESCE(strpos(c."Tags", j."Piece"), 0) = 0)
AND NOT EXISTS (SELECT 1 FROM json_to_recordset(CAST(@metadata AS json)) AS j("Piece" text) WHERE COALESCE(strpos(c."Metadata", j."Piece"), 0) = 0)

-- change_remove: delete items for good, unless their queue deletes logically; never a running one.
-- Their attempts are deleted as well.
-- In:  rows [{ItemId, ItemFence, OldState}], natural_key (NULL: any; else only items with this key),
--      author (NULL: anybody; else only items that it created)
-- CASE has the rows found by their keys, as in take.
DELETE FROM "BotWorkQueueItems"
USING {{picked_rows}}
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = j."OldState"
  AND "State" <> 1 AND "DeletedAt" IS NULL
  AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName" AND q."Deletion" = 'logical')
  AND (CAST(@natural_key AS text) IS NULL OR "NaturalKey" = CAST(@natural_key AS text))
  AND (CAST(@author AS text) IS NULL OR "CreatedBy" = CAST(@author AS text)) THEN TRUE ELSE FALSE END;

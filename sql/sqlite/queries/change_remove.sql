-- change_remove: delete items for good, unless their queue deletes logically; never a running one.
-- Their attempts are deleted as well.
-- In:  rows [{ItemId, ItemFence, OldState}], natural_key (NULL: any; else only items with this key),
--      author (NULL: anybody; else only items that it created)
-- Nobody else writes between the subquery and the DELETE.
DELETE FROM BotWorkQueueItems
WHERE Id IN (
    SELECT i.Id
    FROM {{picked_rows}}
    CROSS JOIN BotWorkQueueItems i
    WHERE i.Id = j.ItemId AND i.Fence = j.ItemFence AND i.State = j.OldState
      AND i.State <> 1 AND i.DeletedAt IS NULL
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND q.Deletion = 'logical')
      AND (@natural_key IS NULL OR i.NaturalKey = @natural_key)
      AND (@author IS NULL OR i.CreatedBy = @author));

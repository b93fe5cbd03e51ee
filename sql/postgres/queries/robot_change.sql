-- robot_change: a robot changes an item that waits. What it does not set keeps its value.
-- In:  id, fence, sets_metadata (1: set metadata), metadata (NULL: none), sets_tags, tags, priority (NULL: unchanged),
--      sets_key (1: set natural_key and unique_key), natural_key, unique_key
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    -- include: robot_change_set
WHERE "Id" = @id AND "Fence" = @fence AND "State" IN (0, 4) AND "DeletedAt" IS NULL;

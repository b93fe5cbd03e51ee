UPDATE BotQueueStarts SET
    StartedAt = COALESCE((SELECT i.StartedAt FROM BotWorkQueueItems i WHERE i.Id = BotQueueStarts.ItemId),
        COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
WHERE StartedAt IS NULL AND NOT EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.Id = BotQueueStarts.ItemId AND (
        i.Fence = BotQueueStarts.Fence
        OR (i.Fence = BotQueueStarts.Fence + 1 OR i.Fence > BotQueueStarts.Fence AND i.Fence % 1000000000 = 1) AND i.State = 1 AND (i.BegunFence IS NULL OR i.BegunFence <> i.Fence)));

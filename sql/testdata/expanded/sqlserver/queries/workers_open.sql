SELECT w.Id, w.Name, w.Capacity, w.StuckSlots, w.ReservedSlots, w.Labels, w.Channels, w.Queues, w.Overrides, COALESCE(w.AvailableSince, w.StartedAt)
FROM BotWorkers w
WHERE w.LastSeenAt >= DATEADD(millisecond, -(@seen_ms % 1000), DATEADD(second, -(@seen_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
  AND w.State = N'active' AND w.Gate IS NULL AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
ORDER BY w.Id;

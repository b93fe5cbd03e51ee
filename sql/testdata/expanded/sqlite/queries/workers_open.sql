SELECT w.Id, w.Name, w.Capacity, w.StuckSlots, w.ReservedSlots, w.Labels, w.Channels, w.Queues, w.Overrides, COALESCE(w.AvailableSince, w.StartedAt)
FROM BotWorkers w
WHERE w.LastSeenAt >= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@seen_ms / 1000.0))
  AND w.State = 'active' AND w.Gate IS NULL AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
ORDER BY w.Id;

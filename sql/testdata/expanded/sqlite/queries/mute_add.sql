INSERT INTO BotNotificationMutes (KeyHash, RuleName, GroupName, MutedUntil, Reason, MutedBy, MutedAt)
VALUES (@key_hash, @rule, @grouping, strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @for_ms / 1000.0)), @reason, @by, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')));

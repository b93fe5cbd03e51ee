INSERT INTO BotSessions (UserId, Hash, CreatedAt, SeenAt, IdleUntil, ExpiresAt, Address, UserAgent, SignedInBy)
VALUES (@user_id, @hash, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @idle_ms / 1000.0)), strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @longest_ms / 1000.0)), @address, @agent, @signed_in_by)
RETURNING Id, CreatedAt, IdleUntil, ExpiresAt;

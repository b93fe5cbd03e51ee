-- session_add: insert a session.
-- In:  user_id, hash, idle_ms (at most longest_ms), longest_ms, address, agent, signed_in_by, now (NULL: the database clock)
-- Out: the id and the times.
INSERT INTO BotSessions (UserId, Hash, CreatedAt, SeenAt, IdleUntil, ExpiresAt, Address, UserAgent, SignedInBy)
VALUES (@user_id, @hash, {{now}}, {{now}}, {{now_plus ms=@idle_ms}}, {{now_plus ms=@longest_ms}}, @address, @agent, @signed_in_by)
RETURNING Id, CreatedAt, IdleUntil, ExpiresAt;

-- session_add: insert a session.
-- In:  user_id, hash, idle_ms (at most longest_ms), longest_ms, address, agent, signed_in_by, now (NULL: the database clock)
-- Out: the id and the times.
INSERT INTO BotSessions (UserId, Hash, CreatedAt, SeenAt, IdleUntil, ExpiresAt, Address, UserAgent, SignedInBy)
OUTPUT inserted.Id, inserted.CreatedAt, inserted.IdleUntil, inserted.ExpiresAt
VALUES (@user_id, @hash, {{now}}, {{now}}, {{now_plus ms=CAST(@idle_ms AS BIGINT)}}, {{now_plus ms=CAST(@longest_ms AS BIGINT)}}, @address, @agent, @signed_in_by);

-- mute_add: mute a rule, or one group of it.
-- In:  key_hash, rule, grouping, for_ms, reason, by, now (NULL: the database clock)
INSERT INTO "BotNotificationMutes" ("KeyHash", "RuleName", "GroupName", "MutedUntil", "Reason", "MutedBy", "MutedAt")
VALUES (@key_hash, @rule, @grouping, {{now_plus ms=CAST(@for_ms AS bigint)}}, @reason, @by, {{now}});

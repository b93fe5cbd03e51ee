-- mute_read: the mutes that have not ended.
-- In:  now (NULL: the database clock)
-- Out: rule, group, end, reason, who muted it, when.
SELECT m."RuleName", m."GroupName", m."MutedUntil", m."Reason", m."MutedBy", m."MutedAt"
FROM "BotNotificationMutes" m
WHERE m."MutedUntil" > {{now}}
ORDER BY m."RuleName", m."GroupName";

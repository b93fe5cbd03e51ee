SELECT m."RuleName", m."GroupName", m."MutedUntil", m."Reason", m."MutedBy", m."MutedAt"
FROM "BotNotificationMutes" m
WHERE m."MutedUntil" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
ORDER BY m."RuleName", m."GroupName";

SELECT a."RuleName", a."GroupName", a."State", a."StartedAt", a."LastAt", a."EndedAt", a."SentAt", a."Events", a."Occurrence", a."Memory"
FROM "BotAlerts" a;

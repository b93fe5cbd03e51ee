SELECT s."Version", s."EvaluatedAt", s."EvaluatedBy", s."Positions", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM "BotNotificationState" s
WHERE s."Id" = 1;

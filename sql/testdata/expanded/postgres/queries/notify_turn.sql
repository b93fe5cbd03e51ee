UPDATE "BotNotificationState" SET
    "Version" = "Version" + 1,
    "EvaluatedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "EvaluatedBy" = @by,
    "Positions" = @positions
WHERE "Id" = 1 AND "Version" = @version;

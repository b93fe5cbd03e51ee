UPDATE "BotInstallation" SET
    "Epoch" = @next_epoch,
    "Timeline" = COALESCE(CAST(@timeline AS varchar), "Timeline"),
    "RaisedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "Reason" = @reason
WHERE "Epoch" = @epoch;

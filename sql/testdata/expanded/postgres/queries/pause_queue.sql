UPDATE "BotQueues" SET
    "Paused" = CAST(@paused AS boolean),
    "Revision" = "Revision" + 1,
    "UpdatedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE "Name" = @name AND "Paused" <> CAST(@paused AS boolean);

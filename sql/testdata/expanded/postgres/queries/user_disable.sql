UPDATE "BotUsers" SET
    "DisabledAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "Revision" = "Revision" + 1
WHERE "Id" = @id AND "DisabledAt" IS NULL;

UPDATE "BotEscalations" SET
    "ActedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "Items" = "Items" + @items
WHERE "Id" = @rule;

INSERT INTO "BotDeletedQueues" ("Name", "DeletedBy", "DeletedAt")
SELECT CAST(@name AS varchar), CAST(@by AS varchar), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE NOT EXISTS (SELECT 1 FROM "BotDeletedQueues" d WHERE d."Name" = @name);

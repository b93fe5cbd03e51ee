UPDATE "BotUsers" SET "Failures" = "Failures" + 1
WHERE "Id" = @id
RETURNING "Failures";

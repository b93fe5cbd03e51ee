UPDATE "BotWorkers" SET
    "Overrides" = CAST(@overrides AS varchar)
WHERE "Id" = @id AND COALESCE("Overrides", '') = @old;

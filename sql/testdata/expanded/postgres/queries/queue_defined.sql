UPDATE "BotQueues" SET
    "Defined" = CAST(@defined AS text)
WHERE "Id" = @id AND "Revision" = @revision AND "OverriddenBy" IS NOT NULL;

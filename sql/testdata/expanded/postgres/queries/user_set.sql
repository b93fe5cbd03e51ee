UPDATE "BotUsers" SET
    "Role" = CAST(@role AS varchar),
    "Queues" = CAST(@queues AS varchar),
    "PasswordHash" = COALESCE(CAST(@password AS varchar), "PasswordHash"),
    "Subject" = COALESCE(CAST(@subject AS varchar), "Subject"),
    "Failures" = CASE WHEN CAST(@password AS varchar) IS NULL THEN "Failures" ELSE 0 END,
    "LockedUntil" = CASE WHEN CAST(@password AS varchar) IS NULL THEN "LockedUntil" ELSE NULL END,
    "Revision" = "Revision" + 1
WHERE "Id" = @id AND "Revision" = @revision;

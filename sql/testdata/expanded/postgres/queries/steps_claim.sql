SELECT CAST(i."Encrypted" AS int) FROM "BotWorkQueueItems" i
WHERE i."Id" = CAST(@item AS bigint) AND i."Fence" = CAST(@fence AS bigint) AND i."State" = 1;

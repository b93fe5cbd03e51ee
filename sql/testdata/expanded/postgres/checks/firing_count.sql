SELECT COUNT(*) FROM "BotScheduleFirings" f;

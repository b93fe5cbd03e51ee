UPDATE "BotTasks" SET
    "SettledUntil" = CAST(@until AS timestamptz)
WHERE "Name" = @task AND "SettledUntil" < CAST(@until AS timestamptz);

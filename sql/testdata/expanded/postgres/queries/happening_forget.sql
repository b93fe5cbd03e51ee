DELETE FROM "BotNotificationSeen"
WHERE "Source" = CAST(@source AS varchar) AND "At" < CAST(@before AS timestamptz);

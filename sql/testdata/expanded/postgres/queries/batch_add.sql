INSERT INTO "BotBatches" ("BatchKey", "Part", "Kind", "Items", "Digest", "Result", "CreatedAt")
VALUES (@batch_key, @part, @kind, @items, @digest, @result, CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)));

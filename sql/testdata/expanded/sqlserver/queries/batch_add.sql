INSERT INTO BotBatches (BatchKey, Part, Kind, Items, Digest, Result, CreatedAt)
VALUES (@batch_key, @part, @kind, @items, @digest, @result, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))));

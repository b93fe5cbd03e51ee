INSERT INTO BotBatches (BatchKey, Part, Kind, Items, Digest, Result, CreatedAt)
VALUES (@batch_key, @part, @kind, @items, @digest, @result, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')));

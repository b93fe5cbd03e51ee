-- batch_add: record one part of a batch, in the transaction of the part. The unique key refuses a
-- part that is already recorded.
-- In:  batch_key, part, kind, items, digest, result, now (NULL: the database clock)
INSERT INTO BotBatches (BatchKey, Part, Kind, Items, Digest, Result, CreatedAt)
VALUES (@batch_key, @part, @kind, @items, @digest, @result, {{now}});

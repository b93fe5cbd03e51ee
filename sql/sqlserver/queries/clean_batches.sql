-- clean_batches: remove records of batches that are older than an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE t
FROM BotBatches t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE CreatedAt <= {{now_minus ms=@age_ms}} AND Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotBatches c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.CreatedAt <= {{now_minus ms=@age_ms}}
    ORDER BY c.CreatedAt, c.Id);

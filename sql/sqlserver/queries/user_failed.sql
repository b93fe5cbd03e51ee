-- user_failed: count a failed attempt to sign in. The row stays locked until the transaction ends, so that
-- user_lock writes the time for this number.
-- In:  id
-- Out: the number of failures.
UPDATE BotUsers SET Failures = Failures + 1
OUTPUT inserted.Failures
WHERE Id = @id;

-- assignment_lock: one assignment pass at a time in the whole cluster; ends
-- with the transaction. It waits for less than a minute, in which the next pass comes.
-- Out: 0 or more when the lock was got.
DECLARE @result INT;
EXEC @result = sp_getapplock @Resource = N'botwork.assignment', @LockMode = N'Exclusive', @LockOwner = N'Transaction', @LockTimeout = 10000;
SELECT @result;

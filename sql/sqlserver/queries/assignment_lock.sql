-- assignment_lock: allow one assignment pass at a time in the whole cluster, until the transaction
-- ends. It waits less than a minute, because then the next pass is due.
-- Out: 0 or more if the lock was acquired.
DECLARE @result INT;
EXEC @result = sp_getapplock @Resource = N'botwork.assignment', @LockMode = N'Exclusive', @LockOwner = N'Transaction', @LockTimeout = 10000;
SELECT @result;

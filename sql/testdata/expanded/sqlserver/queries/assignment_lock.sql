DECLARE @result INT;
EXEC @result = sp_getapplock @Resource = N'botwork.assignment', @LockMode = N'Exclusive', @LockOwner = N'Transaction', @LockTimeout = 10000;
SELECT @result;

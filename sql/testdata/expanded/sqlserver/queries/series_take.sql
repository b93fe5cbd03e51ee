DELETE FROM BotStatistics
OUTPUT deleted.KeyHash, deleted.Figures
WHERE Id IN (
    SELECT s.Id FROM BotStatistics s WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    WHERE s.KeyHash IN (SELECT j.Hash FROM OPENJSON(@rows) WITH (Hash NVARCHAR(64) '$.Hash') j));

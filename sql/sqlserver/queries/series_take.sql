-- series_take: remove the sums of periods that are about to be written again with more added. A row
-- that another transaction is taking may be missed: then two rows are for the same period, and both count.
-- In:  rows [{Hash}]
-- Out: the hash and the figures of the removed rows.
DELETE t
OUTPUT deleted.KeyHash, deleted.Figures
FROM BotStatistics t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE Id IN (
    SELECT s.Id FROM BotStatistics s WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    WHERE s.KeyHash IN (SELECT j.Hash FROM OPENJSON(@rows) WITH (Hash NVARCHAR(64) '$.Hash') j));

-- series_take: remove the sums of periods that are about to be written again with more added. A row
-- that another transaction is taking may be missed: then two rows are for the same period, and both count.
-- In:  rows [{Hash}]
-- Out: the hash and the figures of the removed rows.
DELETE FROM BotStatistics
WHERE KeyHash IN (SELECT json_extract(value, '$.Hash') FROM jsonb_each(@rows))
RETURNING KeyHash, Figures;

-- take_free: take, but for rows that another session holds. It costs more for each row, so it follows a
-- take that has waited for one.
-- In, Out: as in take
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "RunOrder" bigint, "EstimateMs" bigint, "Channel" text)
    -- include: lock_rows condition=i."State" IN (0, 4)
)
-- include: take_items from=j
;

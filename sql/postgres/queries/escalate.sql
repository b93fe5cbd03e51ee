-- escalate: raise the priority of waiting and assigned items, or remove selectors of waiting ones. An item that has
-- changed since it was found stays as it is. The priority that the tasks step has set stays one that it may raise.
-- In:  rows [{ItemId, OldState, OldVersion, OldPrio, NewPrio, SetsSelectors, SelectorText, Expedited}], now (NULL: the
--      database clock)
-- CASE has the rows found by their keys, as in take.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "OldState" int, "OldVersion" bigint, "OldPrio" bigint, "NewPrio" bigint, "SetsSelectors" int, "SelectorText" text, "Expedited" int)
    -- include: lock_rows condition=i."Version" = r."OldVersion" AND i."State" = r."OldState"
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "Priority" = j."NewPrio",
    "TaskPriority" = CASE WHEN "TaskPriority" = "Priority" THEN j."NewPrio" ELSE "TaskPriority" END,
    "Selectors" = CASE WHEN j."SetsSelectors" = 1 THEN j."SelectorText" ELSE "Selectors" END,
    "Expedite" = CASE WHEN j."SetsSelectors" = 1 THEN j."Expedited" = 1 ELSE "Expedite" END
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "Version" = j."OldVersion" AND "State" = j."OldState" AND "Priority" = j."OldPrio"
  AND ("State" IN (0, 4) OR "State" = 5 AND j."SetsSelectors" = 0) AND "DeletedAt" IS NULL AND "AvailableAt" <= {{now}} THEN TRUE ELSE FALSE END;

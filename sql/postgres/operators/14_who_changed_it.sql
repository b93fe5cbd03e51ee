-- Who changed an item, the latest change first: people, robots, rules and programs, with the values
-- before and after as JSON. ItemsChanged counts all items of the same command. Statements that
-- people write by hand are not recorded, nor is what workers do when they run an item.
WITH item AS (
    SELECT 1 AS "Id" -- the item's id
), entries AS (
    SELECT c."AuditId", c."Before", c."After" FROM "BotAuditItems" c JOIN item n ON c."ItemId" = n."Id"
    UNION ALL
    SELECT l."Id", NULL, NULL FROM "BotAuditLog" l JOIN item n ON l."Target" = CAST(n."Id" AS VARCHAR(20))
    WHERE l."TargetKind" = 'item' AND NOT EXISTS (SELECT 1 FROM "BotAuditItems" c WHERE c."ItemId" = n."Id" AND c."AuditId" = l."Id")
)
SELECT l."At", l."Action", l."Actor", l."Via", l."Host", l."Reason", COALESCE(e."Before", l."Before") AS "Before", COALESCE(e."After", l."After") AS "After",
    l."Changed" AS "ItemsChanged", l."Id" AS "AuditId"
FROM entries e
JOIN "BotAuditLog" l ON l."Id" = e."AuditId"
ORDER BY l."Id" DESC;

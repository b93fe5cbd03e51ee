UPDATE "BotWorkQueueItems" AS t SET
    "Version" = t."Version" + 1,
    "Priority" = j."NewPriority",
    "UniqueKey" = COALESCE(t."UniqueKey", j."NewKey"),
    "ExpiresAt" = COALESCE(t."ExpiresAt", t."CreatedAt" + j."LifeMs" * INTERVAL '1 millisecond'),
    "PoliciesApplied" = TRUE
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "NewPriority" int, "NewKey" text, "LifeMs" bigint)
WHERE t."Id" = j."ItemId" AND CASE WHEN t."Fence" = j."ItemFence" AND t."State" IN (0, 4) AND NOT t."PoliciesApplied" THEN TRUE ELSE FALSE END;

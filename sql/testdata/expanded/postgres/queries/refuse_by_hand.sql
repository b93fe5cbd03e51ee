UPDATE "BotWorkQueueItems" AS t SET
    "Version" = t."Version" + 1,
    "State" = 3,
    "Error" = j."Reason",
    "ErrorKind" = j."Kind",
    "FinishedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "LeaseExpiresAt" = NULL,
    "PoliciesApplied" = TRUE
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "Reason" text, "Kind" text)
WHERE t."Id" = j."ItemId" AND CASE WHEN t."Fence" = j."ItemFence" AND t."State" IN (0, 4) AND NOT t."PoliciesApplied" THEN TRUE ELSE FALSE END
RETURNING t."Id";

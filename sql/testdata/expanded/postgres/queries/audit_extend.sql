UPDATE "BotAuditLog" SET
    "Changed" = "Changed" + CAST(@changed AS bigint),
    "Target" = CASE WHEN "Target" = @target THEN "Target" ELSE '' END
WHERE "Operation" = @operation AND "Action" = @action
RETURNING "Id";

-- retry_copy: insert the copy of a failed item that is its next attempt.
-- In:  id, fence, failures, delay_ms, unique_key (NULL: none), now (NULL: the database clock)
-- Out: the new id; no row if the item is not the failed one.
INSERT INTO "BotWorkQueueItems" (
    {{copied_columns row=}},
    "DeadlineAt", "FinishBy", "ExpiresAt", "TaskPlannedAt", "TaskPriority", "IdempotencyKey", "UniqueKey",
    "ContentKey", "FirstStartedAt", "CreatedBy", "State", "RetryCount", "RootId", "AvailableAt",
    "Scheduled", "CreatedAt", "PoliciesApplied")
SELECT
    {{copied_columns row=i.}},
    i."DeadlineAt", i."FinishBy", i."ExpiresAt", i."TaskPlannedAt", i."TaskPriority", i."IdempotencyKey",
    CAST(@unique_key AS varchar), i."ContentKey", i."FirstStartedAt", i."CreatedBy", 0,
    CAST(@failures AS int), COALESCE(i."RootId", i."Id"), {{now_plus ms=CAST(@delay_ms AS bigint)}},
    CAST(@delay_ms AS bigint) > 0, {{now}}, TRUE
FROM "BotWorkQueueItems" i
WHERE i."Id" = @id AND i."Fence" = @fence AND i."State" = 3
RETURNING "Id";

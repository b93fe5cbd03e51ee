SELECT
    i."Id", i."QueueName", i."State", i."Priority", i."IntegrationConfig", i."Payload", i."Output",
    i."Progress", i."EstimatedDurationMs", i."WorkerId", i."Fence", i."LeaseExpiresAt", i."RetryCount",
    i."ReleaseCount", i."ResilienceConfig", i."AvailableAt", i."DeadlineAt", i."NaturalKey", i."Tags",
    i."Metadata", i."Labels", i."Selectors", i."RootId", i."TaskName", i."Error", i."ErrorKind",
    i."CreatedAt", i."CreatedBy", i."AssignedAt", i."StartedAt", i."FinishedAt", i."RetainUntil",
    i."DeletedAt", i."DeletedReason", i."Step", i."LogTail", i."FirstStartedAt", i."ProgressPercent",
    i."Analytics", i."Encrypted", i."ExpiresAt", i."LimitKey", i."Robot", i."RetainMs", i."TaskScope",
    i."TaskPlannedAt", i."RunOrder", i."AssignedEstimateMs", i."Channel", i."PipelineHash",
    i."IdempotencyKey", i."Version", i."FinishBy", i."BatchKey", i."BatchMax", i."BatchWaitMs",
    i."BatchAtMostMs", i."BatchLeaderId", i."StepTimes"
FROM "BotWorkQueueItems" i
WHERE i."Id" = ANY (ARRAY(
    SELECT h."Id"
    FROM (
        SELECT a."Id", a."Priority", a."DeadlineAt"
        FROM (
            SELECT c."Id", c."Priority", c."DeadlineAt"
            FROM "BotWorkQueueItems" c
            WHERE c."State" IN (0, 4) AND c."Fence" >= 0 AND c."DeadlineAt" IS NULL
              AND c."QueueName" = @queue AND c."DeletedAt" IS NULL
              AND (c."PoliciesApplied" OR c."Fence" > 0)
              AND c."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
              AND (c."ExpiresAt" IS NULL OR c."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
              AND (CAST(@natural_key AS text) IS NULL OR c."NaturalKey" = CAST(@natural_key AS text))
              AND (c."RetryCount" = 0 AND CAST(@tries_new AS bigint) = 1 OR c."RetryCount" = 1 AND CAST(@tries_once AS bigint) = 1 OR c."RetryCount" > 1 AND CAST(@tries_again AS bigint) = 1)
              AND (CAST(@ids AS json) IS NULL OR c."Id" IN (SELECT j."ItemId" FROM json_to_recordset(CAST(@ids AS json)) AS j("ItemId" bigint)))
              AND (CAST(@tags_any AS json) IS NULL OR EXISTS (SELECT 1 FROM json_to_recordset(CAST(@tags_any AS json)) AS j("Piece" text) WHERE strpos(c."Tags", j."Piece") > 0))
              AND (CAST(@full_keys AS json) IS NULL OR NOT EXISTS (SELECT 1 FROM json_to_recordset(CAST(@full_keys AS json)) AS j("Piece" text) WHERE j."Piece" = c."LimitKey"))
              AND NOT EXISTS (SELECT 1 FROM json_to_recordset(CAST(@tags_all AS json)) AS j("Piece" text) WHERE COALESCE(strpos(c."Tags", j."Piece"), 0) = 0)
              AND NOT EXISTS (SELECT 1 FROM json_to_recordset(CAST(@metadata AS json)) AS j("Piece" text) WHERE COALESCE(strpos(c."Metadata", j."Piece"), 0) = 0)
              AND EXISTS (SELECT 1 FROM "BotQueues" q
                  WHERE q."Name" = @queue AND q."Consumer" = 'robots' AND NOT q."Paused"
                    AND (q."PublicAccess" OR EXISTS (SELECT 1 FROM "BotQueueRobots" r
                        WHERE r."QueueName" = q."Name" AND r."Robot" = CAST(@robot AS text) AND r."CanRead")))
            ORDER BY c."Priority" DESC, c."Id"
            LIMIT @limit_rows) a
        UNION ALL
        SELECT b."Id", b."Priority", b."DeadlineAt"
        FROM (
            SELECT c."Id", c."Priority", c."DeadlineAt"
            FROM "BotWorkQueueItems" c
            WHERE c."State" IN (0, 4) AND c."Fence" >= 0 AND c."DeadlineAt" IS NOT NULL AND c."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
              AND c."QueueName" = @queue AND c."DeletedAt" IS NULL
              AND (c."PoliciesApplied" OR c."Fence" > 0)
              AND c."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
              AND (c."ExpiresAt" IS NULL OR c."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
              AND (CAST(@natural_key AS text) IS NULL OR c."NaturalKey" = CAST(@natural_key AS text))
              AND (c."RetryCount" = 0 AND CAST(@tries_new AS bigint) = 1 OR c."RetryCount" = 1 AND CAST(@tries_once AS bigint) = 1 OR c."RetryCount" > 1 AND CAST(@tries_again AS bigint) = 1)
              AND (CAST(@ids AS json) IS NULL OR c."Id" IN (SELECT j."ItemId" FROM json_to_recordset(CAST(@ids AS json)) AS j("ItemId" bigint)))
              AND (CAST(@tags_any AS json) IS NULL OR EXISTS (SELECT 1 FROM json_to_recordset(CAST(@tags_any AS json)) AS j("Piece" text) WHERE strpos(c."Tags", j."Piece") > 0))
              AND (CAST(@full_keys AS json) IS NULL OR NOT EXISTS (SELECT 1 FROM json_to_recordset(CAST(@full_keys AS json)) AS j("Piece" text) WHERE j."Piece" = c."LimitKey"))
              AND NOT EXISTS (SELECT 1 FROM json_to_recordset(CAST(@tags_all AS json)) AS j("Piece" text) WHERE COALESCE(strpos(c."Tags", j."Piece"), 0) = 0)
              AND NOT EXISTS (SELECT 1 FROM json_to_recordset(CAST(@metadata AS json)) AS j("Piece" text) WHERE COALESCE(strpos(c."Metadata", j."Piece"), 0) = 0)
              AND EXISTS (SELECT 1 FROM "BotQueues" q
                  WHERE q."Name" = @queue AND q."Consumer" = 'robots' AND NOT q."Paused"
                    AND (q."PublicAccess" OR EXISTS (SELECT 1 FROM "BotQueueRobots" r
                        WHERE r."QueueName" = q."Name" AND r."Robot" = CAST(@robot AS text) AND r."CanRead")))
            ORDER BY c."Priority" DESC, c."DeadlineAt", c."Id"
            LIMIT @limit_rows) b
    ) h
    ORDER BY h."Priority" DESC, CASE WHEN h."DeadlineAt" IS NULL THEN 1 ELSE 0 END, h."DeadlineAt", h."Id"
    LIMIT @limit_rows));

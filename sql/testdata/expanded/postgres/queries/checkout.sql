UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 1,
    "Fence" = GREATEST("Fence", (SELECT e."Epoch" FROM "BotInstallation" e) * 1000000000) + 1,
    "BegunFence" = GREATEST("Fence", (SELECT e."Epoch" FROM "BotInstallation" e) * 1000000000) + 1,
    "WorkerId" = NULL,
    "Robot" = @robot,
    "LockKey" = @lock_key,
    "AssignedAt" = NULL,
    "StartedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "FirstStartedAt" = COALESCE("FirstStartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))),
    "Step" = NULL,
    "Progress" = NULL,
    "ProgressPercent" = NULL,
    "PipelineHash" = NULL,
    "IdempotencyKey" = COALESCE("IdempotencyKey", CAST(gen_random_uuid() AS text)),
    "LogTail" = NULL,
    "StepTimes" = NULL,
    "BatchLeaderId" = NULL,
    "LeaseExpiresAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + COALESCE(CAST(@lease_ms AS bigint), (SELECT q."CheckoutMs" FROM "BotQueues" q WHERE q."Name" = @queue), 600000) * INTERVAL '1 millisecond'
WHERE "State" IN (0, 4) AND "Id" = ANY (ARRAY(
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
                    AND (CAST(@limited AS bigint) = 1 OR q."ConcurrencyLimit" IS NULL AND q."KeyConcurrencyLimit" IS NULL AND q."RateLimit" IS NULL AND q."KeyRateLimit" IS NULL)
                    AND (q."PublicAccess" OR EXISTS (SELECT 1 FROM "BotQueueRobots" r
                        WHERE r."QueueName" = q."Name" AND r."Robot" = CAST(@robot AS text) AND r."CanRead")))
            ORDER BY c."Priority" DESC, c."Id"
            LIMIT @limit_rows
            FOR NO KEY UPDATE SKIP LOCKED) a
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
                    AND (CAST(@limited AS bigint) = 1 OR q."ConcurrencyLimit" IS NULL AND q."KeyConcurrencyLimit" IS NULL AND q."RateLimit" IS NULL AND q."KeyRateLimit" IS NULL)
                    AND (q."PublicAccess" OR EXISTS (SELECT 1 FROM "BotQueueRobots" r
                        WHERE r."QueueName" = q."Name" AND r."Robot" = CAST(@robot AS text) AND r."CanRead")))
            ORDER BY c."Priority" DESC, c."DeadlineAt", c."Id"
            LIMIT @limit_rows
            FOR NO KEY UPDATE SKIP LOCKED) b
    ) h
    ORDER BY h."Priority" DESC, CASE WHEN h."DeadlineAt" IS NULL THEN 1 ELSE 0 END, h."DeadlineAt", h."Id"
    LIMIT @limit_rows))
  AND NOT EXISTS (SELECT 1 FROM "BotInstallation" e
      WHERE CASE WHEN e."Timeline" IS NULL THEN FALSE ELSE e."Timeline" <> left(pg_walfile_name(pg_current_wal_lsn()), 8) END)
RETURNING
    "Id", "QueueName", "State", "Priority", "IntegrationConfig", "Payload", "Output", "Progress",
    "EstimatedDurationMs", "WorkerId", "Fence", "LeaseExpiresAt", "RetryCount", "ReleaseCount",
    "ResilienceConfig", "AvailableAt", "DeadlineAt", "NaturalKey", "Tags", "Metadata", "Labels",
    "Selectors", "RootId", "TaskName", "Error", "ErrorKind", "CreatedAt", "CreatedBy", "AssignedAt",
    "StartedAt", "FinishedAt", "RetainUntil", "DeletedAt", "DeletedReason", "Step", "LogTail",
    "FirstStartedAt", "ProgressPercent", "Analytics", "Encrypted", "ExpiresAt", "LimitKey", "Robot",
    "RetainMs", "TaskScope", "TaskPlannedAt", "RunOrder", "AssignedEstimateMs", "Channel",
    "PipelineHash", "IdempotencyKey", "Version", "FinishBy", "BatchKey", "BatchMax", "BatchWaitMs",
    "BatchAtMostMs", "BatchLeaderId", "StepTimes";

WITH added AS (
INSERT INTO "BotWorkQueueItems"
    ("QueueName", "State", "Priority", "IntegrationConfig", "Payload", "EstimatedDurationMs", "ResilienceConfig",
     "AvailableAt", "Scheduled", "DeadlineAt", "FinishBy", "CreatedBy", "CreatedAt", "TaskName", "NaturalKey", "LimitKey", "Tags", "Metadata",
     "Labels", "Selectors", "Expedite", "RetainMs", "ExpiresAt", "Encrypted", "LockKey", "UniqueKey", "ContentKey", "TimedKey", "TimedUntil",
     "BatchKey", "BatchMax", "BatchWaitMs", "BatchAtMostMs", "PoliciesApplied")
SELECT j."Queue", j."NewState", j."Prio", j."Config", j."Body", j."EstimateMs", j."Policy",
    COALESCE(j."DueAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."DelayMs" * INTERVAL '1 millisecond'),
    CASE WHEN j."DueAt" IS NULL THEN j."DelayMs" > 0 ELSE j."DueAt" > COALESCE(CAST(@now AS timestamptz), statement_timestamp()) END,
    LEAST(j."Deadline", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."DeadlineMs" * INTERVAL '1 millisecond'),
    COALESCE(j."FinishAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."FinishMs" * INTERVAL '1 millisecond'),
    j."Author", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    j."Task", j."KeyText", j."LimitText", j."TagList", j."Meta", j."LabelText", j."SelectorText", j."Expedited" = 1, j."KeepMs",
    CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."LifeMs" * INTERVAL '1 millisecond',
    j."Sealed" = 1, j."Ticket", j."UniqueHash", j."ContentHash", j."TimedHash",
    CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."TimedMs" * INTERVAL '1 millisecond', j."BatchKey", j."BatchMax", j."BatchWaitMs", j."BatchAtMostMs", TRUE
FROM (SELECT
        r."Queue" AS "Queue",
        r."NewState" AS "NewState",
        r."Prio" AS "Prio",
        r."Config" AS "Config",
        r."Body" AS "Body",
        r."EstimateMs" AS "EstimateMs",
        r."Policy" AS "Policy",
        r."DueAt" AS "DueAt",
        r."DelayMs" AS "DelayMs",
        r."Deadline" AS "Deadline",
        r."DeadlineMs" AS "DeadlineMs",
        r."FinishAt" AS "FinishAt",
        r."FinishMs" AS "FinishMs",
        r."Author" AS "Author",
        r."Task" AS "Task",
        r."KeyText" AS "KeyText",
        r."LimitText" AS "LimitText",
        r."TagList" AS "TagList",
        r."Meta" AS "Meta",
        r."LabelText" AS "LabelText",
        r."SelectorText" AS "SelectorText",
        r."Expedited" AS "Expedited",
        r."KeepMs" AS "KeepMs",
        r."LifeMs" AS "LifeMs",
        r."Sealed" AS "Sealed",
        r."Ticket" AS "Ticket",
        r."UniqueHash" AS "UniqueHash",
        r."ContentHash" AS "ContentHash",
        r."TimedHash" AS "TimedHash",
        r."TimedMs" AS "TimedMs",
        r."BatchKey" AS "BatchKey",
        r."BatchMax" AS "BatchMax",
        r."BatchWaitMs" AS "BatchWaitMs",
        r."BatchAtMostMs" AS "BatchAtMostMs"
      FROM json_to_recordset(CAST(@rows AS json)) AS r("Queue" text, "NewState" bigint, "Prio" bigint, "Config" text, "Body" text, "EstimateMs" bigint, "Policy" text, "DueAt" timestamptz, "DelayMs" bigint, "Deadline" timestamptz, "DeadlineMs" bigint, "FinishAt" timestamptz, "FinishMs" bigint, "Author" text, "Task" text, "KeyText" text, "LimitText" text, "TagList" text, "Meta" text, "LabelText" text, "SelectorText" text, "Expedited" bigint, "KeepMs" bigint, "LifeMs" bigint, "Sealed" bigint, "Ticket" text, "UniqueHash" text, "ContentHash" text, "TimedHash" text, "TimedMs" bigint, "BatchKey" text, "BatchMax" bigint, "BatchWaitMs" bigint, "BatchAtMostMs" bigint)) AS j
WHERE (SELECT set_config('botwork.queues_checked', 'yes', true)
        FROM (SELECT COUNT(*) AS "Found" FROM (
            SELECT 1 FROM "BotQueues" b
            JOIN json_to_recordset(CAST(@queues AS json)) AS p("Queue" text, "Revision" bigint)
              ON b."Name" = p."Queue" AND b."Revision" = p."Revision" FOR KEY SHARE OF b) AS locked) AS c
        WHERE c."Found" = @queue_count) = 'yes'
  AND (j."Deadline" IS NULL OR j."Deadline" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) OR j."Task" IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM "BotInstallation" e
      WHERE CASE WHEN e."Timeline" IS NULL THEN FALSE ELSE e."Timeline" <> left(pg_walfile_name(pg_current_wal_lsn()), 8) END)
RETURNING "Id", "LockKey", "QueueName", CASE WHEN length("IntegrationConfig") <= 200 THEN "IntegrationConfig" ELSE '' END AS "Pipeline",
    CASE WHEN "Priority" > 1000 THEN 2 WHEN "Priority" >= 500 THEN 1 ELSE 0 END AS "Band"
), counted AS (
    INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Pipeline", "Band", "Event", "Events")
    SELECT CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), a."QueueName", a."Pipeline", CASE a."Band" WHEN 2 THEN 'high' WHEN 1 THEN 'medium' ELSE 'low' END, 'enqueued', COUNT(*)
    FROM added a
    GROUP BY a."QueueName", a."Pipeline", a."Band"
)
SELECT a."Id", a."LockKey" FROM added a;

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
        CAST(@Queue AS text) AS "Queue",
        CAST(@NewState AS bigint) AS "NewState",
        CAST(@Prio AS bigint) AS "Prio",
        CAST(@Config AS text) AS "Config",
        r."Body" AS "Body",
        CAST(NULL AS bigint) AS "EstimateMs",
        CAST(NULL AS text) AS "Policy",
        CAST(NULL AS timestamptz) AS "DueAt",
        CAST(@DelayMs AS bigint) AS "DelayMs",
        CAST(NULL AS timestamptz) AS "Deadline",
        CAST(NULL AS bigint) AS "DeadlineMs",
        CAST(NULL AS timestamptz) AS "FinishAt",
        CAST(NULL AS bigint) AS "FinishMs",
        CAST(NULL AS text) AS "Author",
        CAST(NULL AS text) AS "Task",
        CAST(NULL AS text) AS "KeyText",
        CAST(NULL AS text) AS "LimitText",
        CAST(NULL AS text) AS "TagList",
        CAST(NULL AS text) AS "Meta",
        CAST(NULL AS text) AS "LabelText",
        CAST(NULL AS text) AS "SelectorText",
        CAST(NULL AS bigint) AS "Expedited",
        CAST(NULL AS bigint) AS "KeepMs",
        CAST(NULL AS bigint) AS "LifeMs",
        CAST(NULL AS bigint) AS "Sealed",
        CAST(NULL AS text) AS "Ticket",
        CAST(NULL AS text) AS "UniqueHash",
        CAST(NULL AS text) AS "ContentHash",
        CAST(NULL AS text) AS "TimedHash",
        CAST(NULL AS bigint) AS "TimedMs",
        CAST(NULL AS text) AS "BatchKey",
        CAST(NULL AS bigint) AS "BatchMax",
        CAST(NULL AS bigint) AS "BatchWaitMs",
        CAST(NULL AS bigint) AS "BatchAtMostMs"
      FROM json_to_recordset(CAST(@rows AS json)) AS r("Body" text)) AS j
WHERE (SELECT set_config('botwork.queues_checked', 'yes', true) FROM "BotQueues" b
        WHERE b."Name" = @queue AND b."Revision" = @revision FOR KEY SHARE) = 'yes'
  AND NOT EXISTS (SELECT 1 FROM "BotInstallation" e
      WHERE CASE WHEN e."Timeline" IS NULL THEN FALSE ELSE e."Timeline" <> left(pg_walfile_name(pg_current_wal_lsn()), 8) END)
RETURNING "Id", "LockKey"
), counted AS (
    INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Pipeline", "Band", "Event", "Events")
    SELECT CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), CAST(@Queue AS text), CASE WHEN length(CAST(@Config AS text)) <= 200 THEN CAST(@Config AS text) ELSE '' END, CASE WHEN CAST(@Prio AS bigint) > 1000 THEN 'high' WHEN CAST(@Prio AS bigint) >= 500 THEN 'medium' ELSE 'low' END, 'enqueued', COUNT(*)
    FROM added a
    HAVING COUNT(*) > 0
)
SELECT a."Id", a."LockKey" FROM added a;

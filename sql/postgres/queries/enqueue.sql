-- enqueue: insert all items, or none if the policy of a queue has changed since the rows were made.
-- It leaves out items whose deadline has passed, except those of tasks; the caller then takes all back.
-- In:  rows [{Queue, NewState, Prio, Config, Body, EstimateMs, Policy, DueAt, DelayMs,
--      Deadline, DeadlineMs, FinishAt, FinishMs, Author, Task, KeyText, LimitText, TagList, Meta, LabelText,
--      SelectorText, Expedited, KeepMs, LifeMs,
--      Sealed, Ticket, UniqueHash, ContentHash, TimedHash, TimedMs,
--      BatchKey, BatchMax, BatchWaitMs, BatchAtMostMs}], of one queue
--      queue and revision, of several queues [{Queue, Revision}] and queue_count, now (NULL: the database clock)
-- It is a template for rows that have values in common: see ../../insert.go.
-- Out: the new ids with their tickets, in any order.
-- It counts the items for the statistics over time in the same round trip, without grouping if all have the same
-- queue, pipeline and priority.
-- It locks the queues like a foreign key, and records for its transaction that it did: the trigger
-- that does so for rows written by hand (migration 0016) is then skipped.
-- It inserts nothing on a timeline that the epoch does not match: a promoted standby may lack
-- items, and would use their ids again.
WITH added AS (
INSERT INTO "BotWorkQueueItems"
    ("QueueName", "State", "Priority", "IntegrationConfig", "Payload", "EstimatedDurationMs", "ResilienceConfig",
     "AvailableAt", "Scheduled", "DeadlineAt", "FinishBy", "CreatedBy", "CreatedAt", "TaskName", "NaturalKey", "LimitKey", "Tags", "Metadata",
     "Labels", "Selectors", "Expedite", "RetainMs", "ExpiresAt", "Encrypted", "LockKey", "UniqueKey", "ContentKey", "TimedKey", "TimedUntil",
     "BatchKey", "BatchMax", "BatchWaitMs", "BatchAtMostMs", "PoliciesApplied")
SELECT j."Queue", j."NewState", j."Prio", j."Config", j."Body", j."EstimateMs", j."Policy",
    COALESCE(j."DueAt", {{now_plus ms=j."DelayMs"}}),
    CASE WHEN j."DueAt" IS NULL THEN j."DelayMs" > 0 ELSE j."DueAt" > COALESCE(CAST(@now AS timestamptz), statement_timestamp()) END,
    LEAST(j."Deadline", {{now_plus ms=j."DeadlineMs"}}),
    COALESCE(j."FinishAt", {{now_plus ms=j."FinishMs"}}),
    j."Author", {{now}},
    j."Task", j."KeyText", j."LimitText", j."TagList", j."Meta", j."LabelText", j."SelectorText", j."Expedited" = 1, j."KeepMs",
    {{now_plus ms=j."LifeMs"}},
    j."Sealed" = 1, j."Ticket", j."UniqueHash", j."ContentHash", j."TimedHash",
    {{now_plus ms=j."TimedMs"}}, j."BatchKey", j."BatchMax", j."BatchWaitMs", j."BatchAtMostMs", TRUE
FROM (SELECT
        [[- range $i, $c := .Cells]][[if $i]],[[end]]
        [[if .Own]]r."[[.Name]]"[[else]]CAST([[if .Absent]]NULL[[else]]@[[.Name]][[end]] AS [[template "type" .]])[[end]] AS "[[.Name]]"
        [[- end]]
      [[- if not .One]]
      FROM json_to_recordset(CAST(@rows AS json)) AS r([[range $i, $c := .VaryingCells]][[if $i]], [[end]]"[[.Name]]" [[template "type" .]][[end]])
      [[- end]]) AS j
WHERE [[if .OneQueue -]]
    (SELECT set_config('botwork.queues_checked', 'yes', true) FROM "BotQueues" b
        WHERE b."Name" = @queue AND b."Revision" = @revision FOR KEY SHARE) = 'yes'
    [[- else -]]
    (SELECT set_config('botwork.queues_checked', 'yes', true)
        FROM (SELECT COUNT(*) AS "Found" FROM (
            SELECT 1 FROM "BotQueues" b
            JOIN json_to_recordset(CAST(@queues AS json)) AS p("Queue" text, "Revision" bigint)
              ON b."Name" = p."Queue" AND b."Revision" = p."Revision" FOR KEY SHARE OF b) AS locked) AS c
        WHERE c."Found" = @queue_count) = 'yes'
    [[- end]]
    [[- if .Deadlines]]
  AND (j."Deadline" IS NULL OR j."Deadline" >= {{now}} OR j."Task" IS NOT NULL)
    [[- end]]
  -- include: timeline_known
RETURNING "Id", "LockKey"
    [[- if not .OneSeries]], "QueueName", {{pipeline_of config="IntegrationConfig"}} AS "Pipeline",
    CASE WHEN "Priority" > 1000 THEN 2 WHEN "Priority" >= 500 THEN 1 ELSE 0 END AS "Band"[[end]]
), counted AS (
    INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Pipeline", "Band", "Event", "Events")
    [[if .OneSeries -]]
    SELECT {{now}}, CAST(@Queue AS text), {{pipeline_of config=CAST(@Config AS text)}}, {{band_of priority=CAST(@Prio AS bigint)}}, 'enqueued', COUNT(*)
    FROM added a
    HAVING COUNT(*) > 0
    [[- else -]]
    SELECT {{now}}, a."QueueName", a."Pipeline", CASE a."Band" WHEN 2 THEN 'high' WHEN 1 THEN 'medium' ELSE 'low' END, 'enqueued', COUNT(*)
    FROM added a
    GROUP BY a."QueueName", a."Pipeline", a."Band"
    [[- end]]
)
SELECT a."Id", a."LockKey" FROM added a;
[[- define "type"]][[if eq .Kind "number"]]bigint[[else if eq .Kind "time"]]timestamptz[[else]]text[[end]][[end]]

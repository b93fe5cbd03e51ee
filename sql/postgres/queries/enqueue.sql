-- enqueue: insert items, all or none: none when a queue's policy is not the one
-- that they were made by.
-- In:  rows [{Queue, NewState, Prio, Config, Body, EstimateMs, Policy, DueAt, DelayMs,
--      Deadline, DeadlineMs, Author, Task, KeyText, LimitText, TagList, Meta, LabelText,
--      SelectorText, Expedited, KeepMs, LifeMs,
--      Sealed, Ticket, UniqueHash, ContentHash, TimedHash, TimedMs}], of one queue
--      queue and revision, of several queues [{Queue, Revision}] and queue_count, now (NULL: the database clock)
-- A template of what the rows have in common: see ../../insert.go.
-- Out: the new ids with their tickets, in no order.
-- It locks the queues as a foreign key would, and says for its transaction that it did: the trigger that does so
-- for what is written by hand (migration 0016) need not.
-- Nothing is inserted on a timeline that the epoch does not know of yet: a standby that was promoted
-- may lack items, and their ids would come again.
INSERT INTO "BotWorkQueueItems"
    ("QueueName", "State", "Priority", "IntegrationConfig", "Payload", "EstimatedDurationMs", "ResilienceConfig",
     "AvailableAt", "Scheduled", "DeadlineAt", "CreatedBy", "CreatedAt", "TaskName", "NaturalKey", "LimitKey", "Tags", "Metadata",
     "Labels", "Selectors", "Expedite", "RetainMs", "ExpiresAt", "Encrypted", "LockKey", "UniqueKey", "ContentKey", "TimedKey", "TimedUntil")
SELECT j."Queue", j."NewState", j."Prio", j."Config", j."Body", j."EstimateMs", j."Policy",
    COALESCE(j."DueAt", {{now_plus ms=j."DelayMs"}}),
    CASE WHEN j."DueAt" IS NULL THEN j."DelayMs" > 0 ELSE j."DueAt" > COALESCE(CAST(@now AS timestamptz), statement_timestamp()) END,
    COALESCE(j."Deadline", {{now_plus ms=j."DeadlineMs"}}),
    j."Author", {{now}},
    j."Task", j."KeyText", j."LimitText", j."TagList", j."Meta", j."LabelText", j."SelectorText", j."Expedited" = 1, j."KeepMs",
    {{now_plus ms=j."LifeMs"}},
    j."Sealed" = 1, j."Ticket", j."UniqueHash", j."ContentHash", j."TimedHash",
    {{now_plus ms=j."TimedMs"}}
FROM (SELECT
        [[- range $i, $c := .Cells]][[if $i]],[[end]]
        [[if .Own]]r."[[.Name]]"[[else]]CAST([[if .Absent]]NULL[[else]]@[[.Name]][[end]] AS [[template "type" .]])[[end]] AS "[[.Name]]"
        [[- end]]
      [[- if not .One]]
      FROM json_to_recordset(CAST(@rows AS json)) AS r([[range $i, $c := .OwnCells]][[if $i]], [[end]]"[[.Name]]" [[template "type" .]][[end]])
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
  -- include: timeline_known
RETURNING "Id", "LockKey";
[[- define "type"]][[if eq .Kind "number"]]bigint[[else if eq .Kind "time"]]timestamptz[[else]]text[[end]][[end]]

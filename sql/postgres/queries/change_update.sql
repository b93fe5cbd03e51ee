-- change_update: give items that wait, are assigned or run new values. An assigned item whose worker
-- or start may be another one then waits for the next assignment.
-- No deadline is later than the time by which the item must finish.
-- In:  rows [{ItemId, ItemFence, OldState, OldVersion, Queue, Prio, Moved (1: assign again), SetsDue, DueAt or DelayMs,
--      SetsDeadline, Deadline or DeadlineMs (both NULL: none), SetsFinish (1: Finish, and Deadline, are the new
--      values; NULL: none), Finish, SetsEstimate, EstimateMs, SetsPolicy, Policy, SetsLimit,
--      LimitText, SetsSelectors, SelectorText, Expedited, SetsBody, Body, TagList, Meta, LabelText, UniqueHash,
--      ContentHash, TimedHash}]; what a Sets... of 0 belongs to keeps its value; now (NULL: the database clock)
-- CASE has the rows found by their keys, as in take.
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "QueueName" = j."Queue",
    "Priority" = j."Prio",
    "State" = CASE WHEN "State" = 5 AND j."Moved" = 1 THEN 0 ELSE "State" END,
    "WorkerId" = CASE WHEN "State" = 5 AND j."Moved" = 1 THEN NULL ELSE "WorkerId" END,
    "AssignedAt" = CASE WHEN "State" = 5 AND j."Moved" = 1 THEN NULL ELSE "AssignedAt" END,
    "AvailableAt" = CASE WHEN j."SetsDue" = 1 THEN COALESCE(j."DueAt", {{now_plus ms=j."DelayMs"}}) ELSE "AvailableAt" END,
    "Scheduled" = CASE WHEN j."SetsDue" = 1 THEN CASE WHEN j."DueAt" IS NULL THEN j."DelayMs" > 0 ELSE j."DueAt" > {{now}} END ELSE "Scheduled" END,
    "FinishBy" = CASE WHEN j."SetsFinish" = 1 THEN j."Finish" ELSE "FinishBy" END,
    "DeadlineAt" = CASE WHEN j."SetsFinish" = 1 THEN j."Deadline" WHEN j."SetsDeadline" = 1 THEN LEAST(COALESCE(j."Deadline", {{now_plus ms=j."DeadlineMs"}}), "FinishBy") ELSE "DeadlineAt" END,
    "EstimatedDurationMs" = CASE WHEN j."SetsEstimate" = 1 THEN j."EstimateMs" ELSE "EstimatedDurationMs" END,
    "ResilienceConfig" = CASE WHEN j."SetsPolicy" = 1 THEN j."Policy" ELSE "ResilienceConfig" END,
    "LimitKey" = CASE WHEN j."SetsLimit" = 1 THEN j."LimitText" ELSE "LimitKey" END,
    "Selectors" = CASE WHEN j."SetsSelectors" = 1 THEN j."SelectorText" ELSE "Selectors" END,
    "Expedite" = CASE WHEN j."SetsSelectors" = 1 THEN j."Expedited" = 1 ELSE "Expedite" END,
    "Payload" = CASE WHEN j."SetsBody" = 1 THEN j."Body" ELSE "Payload" END,
    "Tags" = j."TagList",
    "Metadata" = j."Meta",
    "Labels" = j."LabelText",
    "UniqueKey" = j."UniqueHash",
    "ContentKey" = j."ContentHash",
    "TimedKey" = j."TimedHash"
FROM json_to_recordset(CAST(@rows AS json)) AS j(
        "ItemId" bigint, "ItemFence" bigint, "OldState" int, "OldVersion" bigint, "Queue" text, "Prio" int,
        "Moved" int, "SetsDue" int, "DueAt" timestamptz, "DelayMs" bigint, "SetsDeadline" int,
        "Deadline" timestamptz, "DeadlineMs" bigint, "SetsFinish" int, "Finish" timestamptz,
        "SetsEstimate" int, "EstimateMs" bigint, "SetsPolicy" int, "Policy" text, "SetsLimit" int, "LimitText" text, "SetsSelectors" int, "SelectorText" text, "Expedited" int,
        "SetsBody" int, "Body" text, "TagList" text, "Meta" text, "LabelText" text, "UniqueHash" text,
        "ContentHash" text, "TimedHash" text)
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = j."OldState" AND "Version" = j."OldVersion"
  AND "State" IN (0, 1, 4, 5) AND "DeletedAt" IS NULL
  AND ("QueueName" = j."Queue" OR EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = j."Queue" FOR KEY SHARE)) THEN TRUE ELSE FALSE END;

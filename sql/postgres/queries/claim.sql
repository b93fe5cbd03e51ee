-- claim: lease up to limit_rows items that are assigned to the worker and raise their fence: the
-- expedited first, then the highest priority, then in the order of the pass that assigned them.
-- Items that may not start now stay assigned: they have expired, were deleted or postponed by hand
-- since they were assigned, or their queue is paused.
-- In:  worker, instance, min_priority, max_priority, limit_rows, begin_rows, work_ms, bytes (after the first begin_rows,
--      no more items are claimed once this much estimated work, or this much to read, is claimed), full_channels (a JSON list of
--      channels whose items are excluded), lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in any order, without columns that are the same for all; the store sorts
--      them.
-- With SKIP LOCKED claims do not wait for each other; the outer WHERE, which repeats state and
-- worker, makes a claim correct. ARRAY makes the planner run the inner SELECT once: with IN it may
-- become the inner side of a join, run for each row, and claim more than the limit.
-- "State" + 0 makes the outer UPDATE find its rows by key: by the index of assigned items it would
-- read all items that the worker holds.
-- It claims nothing on a timeline that the epoch does not match: a promoted standby may lack
-- claims, and would use their fences again.
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 1,
    "Fence" = GREATEST("Fence", (SELECT e."Epoch" FROM "BotInstallation" e) * 1000000000) + 1,
    "StartedAt" = {{now}},
    "FirstStartedAt" = COALESCE("FirstStartedAt", {{now}}),
    -- include: new_attempt
    "LeaseExpiresAt" = {{now_plus ms=CAST(@lease_ms AS bigint)}}
WHERE "State" + 0 = 5 AND "WorkerId" = @worker AND "Id" = ANY (ARRAY(
    SELECT b."Id"
    FROM (
    SELECT l."Id", ROW_NUMBER() OVER places AS "Place", SUM(l."WorkMs") OVER places - l."WorkMs" AS "WorkBefore", SUM(l."Bytes") OVER places - l."Bytes" AS "BytesBefore"
    FROM (
    SELECT expedited."Id", 0 AS "Turn", expedited."Priority", expedited."RunOrder", expedited."WorkMs", expedited."Bytes"
    FROM (
        -- include: startable_items
          AND c."Expedite" AND c."RunOrder" < -1000000000000000000
        ORDER BY c."Priority" DESC, c."RunOrder", c."Id"
        LIMIT @limit_rows
        FOR NO KEY UPDATE SKIP LOCKED) expedited
    UNION ALL
    SELECT rest."Id", 1, rest."Priority", rest."RunOrder", rest."WorkMs", rest."Bytes"
    FROM (
        -- include: startable_items
          AND (NOT c."Expedite" OR c."RunOrder" >= -1000000000000000000)
        ORDER BY c."Priority" DESC, c."RunOrder", c."Id"
        LIMIT @limit_rows
        FOR NO KEY UPDATE SKIP LOCKED) rest) l
    WINDOW places AS (ORDER BY l."Turn", l."Priority" DESC, l."RunOrder", l."Id" ROWS UNBOUNDED PRECEDING)) b
    WHERE b."Place" <= @limit_rows AND (b."Place" <= @begin_rows OR b."WorkBefore" <= @work_ms AND b."BytesBefore" <= @bytes)))
  -- include: timeline_known
RETURNING
    {{claimed_columns row=}},
    {{claimed_too_large row=}};

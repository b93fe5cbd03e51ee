-- claim: lease up to limit_rows items that are assigned to the worker, the expedited
-- first, then the highest priority, then in the order of the pass that assigned them, and
-- raise their fence. What may not start now stays assigned: an item that expired, was deleted
-- or put off by hand since it was assigned, and what is in a paused queue.
-- In:  worker, instance, min_priority, max_priority, limit_rows, begin_rows, work_ms, bytes (beyond the first begin_rows,
--      no item is claimed behind so much estimated work, or behind so much to read), full_channels (a JSON list of
--      channels whose items are left), lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in no order, without what is the same for all; the store sorts
--      them.
-- SKIP LOCKED keeps claims from waiting for each other; what makes a claim
-- right is the outer WHERE, which repeats state and worker. ARRAY makes the
-- planner run the inner SELECT once: as IN it may become the inner side of a
-- join, run again for each row, and claim past its limit.
-- "State" + 0 has the outer UPDATE find its rows by their key: by the index of what is
-- assigned it would read all that the worker holds for each claim.
-- Nothing is claimed on a timeline that the epoch does not know of yet: a standby that was promoted
-- may lack claims, and their fences would come again.
UPDATE "BotWorkQueueItems" SET
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
        FOR UPDATE SKIP LOCKED) expedited
    UNION ALL
    SELECT rest."Id", 1, rest."Priority", rest."RunOrder", rest."WorkMs", rest."Bytes"
    FROM (
        -- include: startable_items
          AND (NOT c."Expedite" OR c."RunOrder" >= -1000000000000000000)
        ORDER BY c."Priority" DESC, c."RunOrder", c."Id"
        LIMIT @limit_rows
        FOR UPDATE SKIP LOCKED) rest) l
    WINDOW places AS (ORDER BY l."Turn", l."Priority" DESC, l."RunOrder", l."Id" ROWS UNBOUNDED PRECEDING)) b
    WHERE b."Place" <= @limit_rows AND (b."Place" <= @begin_rows OR b."WorkBefore" <= @work_ms AND b."BytesBefore" <= @bytes)))
  -- include: timeline_known
RETURNING
    {{claimed_columns row=}},
    {{claimed_too_large row=}};

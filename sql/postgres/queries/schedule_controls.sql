-- schedule_controls: what people asked of schedules: the paused pipelines, and of each pipeline the next
-- run that a person asked for. A person who waits comes before a backfill, which runs in the order of
-- the planned instants.
-- In:  now (NULL: the database clock)
-- Out: id (0: a pause), pipeline, trigger, planned instant, who, reason, since when.
SELECT 0, p."Pipeline", '', NULL, p."ChangedBy", p."Reason", p."ChangedAt"
FROM "BotPipelinePauses" p
WHERE p."Paused" = TRUE
UNION ALL
SELECT q."Id", q."Pipeline", q."TriggerName", q."PlannedAt", q."RequestedBy", '', q."RequestedAt"
FROM (SELECT r."Id", r."Pipeline", r."TriggerName", r."PlannedAt", r."RequestedBy", r."RequestedAt",
        ROW_NUMBER() OVER (PARTITION BY r."Pipeline"
            ORDER BY CASE WHEN r."TriggerName" = 'request' THEN 0 ELSE 1 END, r."PlannedAt", r."Id") AS "Turn"
      FROM "BotRunRequests" r
      WHERE r."State" = 'pending' AND r."ExpiresAt" > {{now}}) q
WHERE q."Turn" = 1;

SELECT 0, p."Pipeline", '', NULL, p."ChangedBy", p."Reason", p."ChangedAt"
FROM "BotPipelinePauses" p
WHERE p."Paused" = TRUE
UNION ALL
SELECT q."Id", q."Pipeline", q."TriggerName", q."PlannedAt", q."RequestedBy", '', q."RequestedAt"
FROM (SELECT r."Id", r."Pipeline", r."TriggerName", r."PlannedAt", r."RequestedBy", r."RequestedAt",
        ROW_NUMBER() OVER (PARTITION BY r."Pipeline"
            ORDER BY CASE WHEN r."TriggerName" = 'request' THEN 0 ELSE 1 END, r."PlannedAt", r."Id") AS "Turn"
      FROM "BotRunRequests" r
      WHERE r."State" = 'pending' AND r."ExpiresAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))) q
WHERE q."Turn" = 1;

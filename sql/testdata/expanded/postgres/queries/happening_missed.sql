SELECT f."Id", f."RecordedAt", NULL, f."Schedule", NULL, NULL, f."Reason", f."WorkerName", f."PlannedAt", NULL
FROM "BotScheduleFirings" f
WHERE f."Outcome" = 'missed' AND f."RecordedAt" >= CAST(@since AS timestamptz)
  AND NOT EXISTS (SELECT 1 FROM "BotNotificationSeen" s WHERE s."Source" = 'missed' AND s."RefId" = f."Id" AND s."At" = f."RecordedAt")
ORDER BY f."RecordedAt", f."Id"
LIMIT @limit_rows;

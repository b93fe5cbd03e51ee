-- happening_missed: planned times that were recorded as missed since a time and were not seen by an evaluation yet, the
-- first first.
-- In:  since, limit_rows
-- Out: as happening_items.
SELECT f."Id", f."RecordedAt", NULL, f."Schedule", NULL, NULL, f."Reason", f."WorkerName", f."PlannedAt", NULL
FROM "BotScheduleFirings" f
WHERE f."Outcome" = 'missed' AND f."RecordedAt" >= CAST(@since AS timestamptz)
  AND NOT EXISTS (SELECT 1 FROM "BotNotificationSeen" s WHERE s."Source" = 'missed' AND s."RefId" = f."Id" AND s."At" = f."RecordedAt")
ORDER BY f."RecordedAt", f."Id"
LIMIT @limit_rows;

-- firing_twice: planned instants with more than one record. One scan in the order of
-- the unique key that forbids them.
-- In:  limit_rows
-- Out: schedule, instant, worker's name, records, the first and the last outcome by name.
SELECT f."Schedule", f."PlannedAt", f."WorkerName", COUNT(*), MIN(f."Outcome"), MAX(f."Outcome")
FROM "BotScheduleFirings" f
GROUP BY f."Schedule", f."PlannedAt", f."WorkerName"
HAVING COUNT(*) > 1
ORDER BY f."Schedule", f."PlannedAt", f."WorkerName"
LIMIT @limit_rows;

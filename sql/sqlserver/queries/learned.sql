-- learned: the times that an assignment pass counts with, of the keys that were
-- learned of last.
-- In:  limit_rows
SELECT TOP (@limit_rows) d.Kind, d.Pipeline, d.Name, d.Runs, d.MeanMs, d.P90Ms
FROM BotDurations d
ORDER BY d.UpdatedAt DESC, d.Id DESC;

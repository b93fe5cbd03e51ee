-- paused: the paused system pipelines.
-- Out: name, who paused it, why, for how long in milliseconds.
SELECT p.Pipeline, p.ChangedBy, p.Reason, CAST((julianday('now') - julianday(p.ChangedAt)) * 86400000 AS INTEGER)
FROM BotPipelinePauses p
WHERE p.Paused = 1
ORDER BY p.Pipeline;

-- paused: the paused system pipelines.
-- Out: name, who paused it, why, for how long in milliseconds.
SELECT p.Pipeline, p.ChangedBy, p.Reason, DATEDIFF_BIG(millisecond, p.ChangedAt, SYSUTCDATETIME())
FROM BotPipelinePauses p
WHERE p.Paused = 1
ORDER BY p.Pipeline;

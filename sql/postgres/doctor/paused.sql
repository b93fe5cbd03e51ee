-- paused: the paused system pipelines.
-- Out: name, who paused it, why, for how long in milliseconds.
SELECT p."Pipeline", p."ChangedBy", p."Reason", CAST(EXTRACT(EPOCH FROM (statement_timestamp() - p."ChangedAt")) * 1000 AS bigint)
FROM "BotPipelinePauses" p
WHERE p."Paused" = TRUE
ORDER BY p."Pipeline";

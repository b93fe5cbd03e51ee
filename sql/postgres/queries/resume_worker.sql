-- resume_worker: let a worker that was asked to drain take items again.
-- In:  name
UPDATE "BotWorkers" SET
    "DrainRequestedAt" = NULL,
    "State" = CASE WHEN "State" = 'draining' THEN 'active' ELSE "State" END
WHERE "Name" = @name AND ("DrainRequestedAt" IS NOT NULL OR "State" = 'draining');

INSERT INTO "BotAuditLog" ("At", "Actor", "Via", "Host", "Action", "TargetKind", "Target", "Filter", "Changed", "Before", "After", "Reason", "Operation")
VALUES (CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), @actor, @via, @host, @action, @target_kind, @target, @filter, @changed, @before, @after, @reason, @operation)
RETURNING "Id";

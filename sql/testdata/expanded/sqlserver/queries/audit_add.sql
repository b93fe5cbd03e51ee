INSERT INTO BotAuditLog (At, Actor, Via, Host, Action, TargetKind, Target, Filter, Changed, Before, After, Reason, Operation)
OUTPUT inserted.Id
VALUES (COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), @actor, @via, @host, @action, @target_kind, @target, @filter, @changed, @before, @after, @reason, @operation);

INSERT INTO BotAuditLog (At, Actor, Via, Host, Action, TargetKind, Target, Filter, Changed, Before, After, Reason, Operation)
VALUES (COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), @actor, @via, @host, @action, @target_kind, @target, @filter, @changed, @before, @after, @reason, @operation)
RETURNING Id;

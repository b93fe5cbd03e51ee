-- audit_add: write an entry of the audit log, in the transaction of the change.
-- In:  actor, via, host, action, target_kind, target, filter (NULL: none), changed, before, after (NULL: none), reason,
--      operation (NULL: the change is one transaction), now (NULL: the database clock)
-- Out: the id of the entry.
INSERT INTO BotAuditLog (At, Actor, Via, Host, Action, TargetKind, Target, Filter, Changed, Before, After, Reason, Operation)
VALUES ({{now}}, @actor, @via, @host, @action, @target_kind, @target, @filter, @changed, @before, @after, @reason, @operation)
RETURNING Id;

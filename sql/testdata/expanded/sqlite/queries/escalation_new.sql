INSERT INTO BotEscalations (Scope, OwnerName, RuleName, CheckedAt, ActiveSince)
SELECT @scope, @owner, @rule_name, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), CASE WHEN @holds = 1 AND @conditional = 1 THEN COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) END
WHERE NOT EXISTS (SELECT 1 FROM BotEscalations e WHERE e.Scope = @scope AND e.OwnerName = @owner AND e.RuleName = @rule_name)
RETURNING Id, CAST(ActiveSince AS TEXT), CAST(ActedAt AS TEXT), CAST(CheckedAt AS TEXT);

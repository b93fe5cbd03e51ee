UPDATE BotEscalations SET
    CheckedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    ActiveSince = CASE WHEN @holds = 1 AND @conditional = 1 THEN COALESCE(ActiveSince, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) END
WHERE Scope = @scope AND OwnerName = @owner AND RuleName = @rule_name AND CheckedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@turn_ms / 1000.0))
RETURNING Id, CAST(ActiveSince AS TEXT), CAST(ActedAt AS TEXT), CAST(CheckedAt AS TEXT);

package sqlstore_test

// escalationValues are the values of the statements that find items for a rule of escalation.
func escalationValues(scope, owner string) map[string]any {
	v := map[string]any{
		"rule": 1, "after_ms": 600_000, "every_ms": 600_000, "since": nil, "cap": 1500, "selective": 0, "assigned": 1, "limit_rows": 10,
	}
	v[scope] = owner
	return v
}

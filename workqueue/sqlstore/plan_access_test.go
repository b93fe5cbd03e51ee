package sqlstore_test

import (
	"database/sql"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"botwork/internal/testdb"
)

// wholeTable finds the scan of a table in a plan of any engine.
var wholeTable = regexp.MustCompile(`(?m)Seq Scan on "Bot|(Clustered Index|Table) Scan Bot|SCAN (Bot\w+|[a-z])$`)

// Each request of the API reads a token or a session, and may reserve a key: none of these reads a
// whole table. Neither does the clean-up, except that of tokens, which are few.
func TestAccessUsesItsIndexes(t *testing.T) {
	const rows = 50_000
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		fillAccess(t, e, db, rows)
		const hash = "h7"
		key := map[string]any{"key_hash": hash, "request_hash": "r"}
		with := func(v map[string]any, more ...any) map[string]any {
			all := map[string]any{}
			maps.Copy(all, v)
			for i := 0; i < len(more); i += 2 {
				all[more[i].(string)] = more[i+1]
			}
			return all
		}
		now := map[string]any{"now": nil}
		for _, c := range []struct {
			statement string
			values    map[string]any
			index     string // "": the primary key, or any
		}{
			{"sessions_by_hash", with(now, "rows", `[{"Hash": "a"}, {"Hash": "b"}]`), "UX_BotSessions_Hash"},
			{"session_used", with(now, "id", 7, "idle_ms", 1000), ""},
			{"session_end", with(now, "id", 7), ""},
			{"sessions_end", with(now, "user_id", 7), "IX_BotSessions_User"},
			{"link_use", with(now, "hash", hash), "UX_BotSignInLinks_Hash"},
			{"link_add", with(now, "user_id", 7, "hash", "new", "valid_ms", 1000), ""},
			{"links_end", with(nil, "user_id", 7), "IX_BotSignInLinks_User"},
			{"token_revoke", with(now, "id", 7, "by", "ann"), ""},
			{"token_used", with(now, "rows", "[7, 8]"), ""},
			{"user_set", with(nil, "id", 7, "revision", 0, "role", "viewer", "queues", nil, "password", nil, "subject", nil), ""},
			{"user_disable", with(now, "id", 7), ""},
			{"user_enable", with(nil, "id", 7), ""},
			{"user_failed", with(nil, "id", 7), ""},
			{"user_lock", with(now, "id", 7, "lock_ms", 1000), ""},
			{"user_signed_in", with(now, "id", 7, "password", nil), ""},
			{"answer_begin", with(key, "caller", "c", "idempotency_key", "k", "now", nil), "UX_BotApiAnswers_KeyHash"},
			{"answer_take", with(key, "patience_ms", 1000, "age_ms", 1000, "now", nil), "UX_BotApiAnswers_KeyHash"},
			{"answer_read", with(nil, "key_hash", hash), "UX_BotApiAnswers_KeyHash"},
			{"answer_keep", with(key, "status", 200, "body", "{}", "now", nil), "UX_BotApiAnswers_KeyHash"},
			{"answer_drop", with(nil, "key_hash", hash), "UX_BotApiAnswers_KeyHash"},
			{"clean_answers", with(now, "age_ms", 1000, "limit_rows", 10), "IX_BotApiAnswers_At"},
			{"clean_sessions", with(now, "limit_rows", 10), "IX_BotSessions_IdleUntil"},
			{"clean_links", with(now, "limit_rows", 10), "IX_BotSignInLinks_ExpiresAt"},
		} {
			plan := explain(t, e, db, c.statement, c.values)
			if c.index != "" && !strings.Contains(plan, c.index) {
				t.Errorf("%s does not use %s:\n%s", c.statement, c.index, plan)
			}
			if wholeTable.MatchString(plan) {
				t.Errorf("%s reads a whole table:\n%s", c.statement, plan)
			}
		}
	})
}

// fillAccess inserts rows of each kind.
func fillAccess(t *testing.T, e testdb.Engine, db *sql.DB, rows int) {
	t.Helper()
	const later = `'2099-01-01 00:00:00.000'`
	for _, c := range []struct{ table, columns, values string }{
		{"BotTokens", `"Name", "NameKey", "Start", "Hash", "Role"`, `CONCAT('n', n), CONCAT('n', n), 'bw_', CONCAT('h', n), 'viewer'`},
		{"BotUsers", `"Name", "NameKey", "Role"`, `CONCAT('n', n), CONCAT('n', n), 'viewer'`},
		{"BotSessions", `"UserId", "Hash", "IdleUntil", "ExpiresAt"`, `n, CONCAT('h', n), ` + later + `, ` + later},
		{"BotSignInLinks", `"UserId", "Hash", "ExpiresAt"`, `n, CONCAT('h', n), ` + later},
		{"BotApiAnswers", `"KeyHash", "CallerName", "IdempotencyKey", "RequestHash", "At"`, `CONCAT('h', n), 'c', 'k', 'r', '2026-01-01 00:00:00.000'`},
	} {
		statement := fmt.Sprintf(`INSERT INTO "%s" (%s) SELECT %s FROM %s`, c.table, c.columns, c.values, series(e, planned(e, rows)))
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		countRows(t, e, db, c.table)
	}
}

package sqlstore

import (
	"regexp"
	"strings"
	"testing"

	"botwork/sql"
)

// SQLite compiles a prepared statement only once if two rules are kept. There is nothing after
// the semicolon, or modernc's driver takes the statement for a script and compiles it at each
// execution. And no LIMIT is a bare parameter, or SQLite compiles the statement again for each
// value.
func TestSQLiteCompilesItsStatementsOnce(t *testing.T) {
	q, err := loadQueries(sql.Files, &sqliteDialect, "queries", nil)
	if err != nil {
		t.Fatal(err)
	}
	bare := regexp.MustCompile(`LIMIT\s+[?@:$]`)
	if !bare.MatchString("LIMIT ?1") {
		t.Fatal("the pattern does not match")
	}
	for name, statement := range q.texts {
		if !strings.HasSuffix(statement.Text, ";") {
			t.Errorf("%s does not end with its semicolon", name)
		}
		if found := bare.FindString(statement.Text); found != "" {
			t.Errorf("%s: %q, want LIMIT CAST(… AS INTEGER)", name, found)
		}
	}
	if len(q.texts) < 20 {
		t.Errorf("%d statements", len(q.texts))
	}
}

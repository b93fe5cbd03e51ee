package sqlstore_test

import (
	"database/sql"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
)

// On SQLite a migration changes a condition in the text of the schema, while rows exist and
// other connections use the old text.
func TestSQLiteMigrationChangesStateCondition(t *testing.T) {
	e := testdb.Engines[0]
	if e.Driver != database.SQLite {
		t.Fatalf("the first engine is %s", e.Driver)
	}
	dsn := e.DSN(t)
	openEmpty(t, e, dsn)
	db, other := e.SQL(t, dsn), e.SQL(t, dsn)
	p := provider(t, e, db)
	if _, err := p.UpTo(t.Context(), 15); err != nil {
		t.Fatal(err)
	}
	insert := func(db *sql.DB, state int) error {
		_, err := db.ExecContext(t.Context(), `INSERT INTO BotWorkQueueItems (IntegrationConfig, State) VALUES ('p', ?)`, state)
		return err
	}
	condition := func(want string) {
		t.Helper()
		for _, db := range []*sql.DB{db, other} {
			var text, sound string
			var rows int
			row := db.QueryRowContext(t.Context(), `SELECT sql, (SELECT COUNT(*) FROM BotWorkQueueItems) FROM sqlite_master WHERE name = 'BotWorkQueueItems'`)
			if err := row.Scan(&text, &rows); err != nil || !strings.Contains(text, want) {
				t.Fatalf("the table with %d rows is %s, %v; want %s", rows, text, err, want)
			}
			if err := insert(db, 7); err == nil || !strings.Contains(err.Error(), "CHECK") {
				t.Errorf("state 7: error %v, want a failed CHECK", err)
			}
			for state := range 6 {
				if err := insert(db, state); err != nil {
					t.Errorf("state %d: %v", state, err)
				}
			}
			if err := db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&sound); err != nil || sound != "ok" {
				t.Errorf("integrity_check = %s, %v", sound, err)
			}
		}
	}
	condition("CHECK (State IN (0, 1, 2, 3, 4, 5))")
	if _, err := p.UpTo(t.Context(), 16); err != nil {
		t.Fatal(err)
	}
	condition("CHECK (State BETWEEN 0 AND 5)")
	if _, err := p.DownTo(t.Context(), 15); err != nil {
		t.Fatal(err)
	}
	condition("CHECK (State IN (0, 1, 2, 3, 4, 5))")
}

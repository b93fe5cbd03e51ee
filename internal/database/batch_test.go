package database

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

func openTogether(t *testing.T) *sql.DB {
	t.Helper()
	server := os.Getenv("BOTWORK_TEST_POSTGRES_DSN")
	if server == "" {
		t.Skip("BOTWORK_TEST_POSTGRES_DSN is not set")
	}
	db, err := Open(Postgres, server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), `CREATE TEMPORARY TABLE together (n int PRIMARY KEY, at timestamptz)`); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestTogetherAnswersInOrder(t *testing.T) {
	db := openTogether(t)
	var numbers []int
	var at sql.NullTime
	var sum int64
	questions := []BatchQuery{
		{Text: `INSERT INTO together (n) SELECT generate_series(1, $1::int)`, Args: []any{3}},
		{Text: `SELECT n FROM together ORDER BY n`, Row: func(scan func(...any) error) error {
			var n int
			err := scan(&n)
			numbers = append(numbers, n)
			return err
		}},
		{Text: `UPDATE together SET at = $1 WHERE n < 3`, Args: []any{time.UnixMilli(1).UTC()}},
		{Text: `SELECT sum(n), max(at) FROM together WHERE at IS NOT NULL`, Row: func(scan func(...any) error) error { return scan(&sum, &at) }},
	}
	if err := QueryBatch(t.Context(), db, questions); err != nil {
		t.Fatal(err)
	}
	if len(numbers) != 3 || numbers[2] != 3 || sum != 3 || !at.Time.Equal(time.UnixMilli(1)) || questions[2].Changed != 2 {
		t.Errorf("numbers %v, sum %d, time %v, changed %d; want 1 to 3, 3, 1 ms, 2", numbers, sum, at, questions[2].Changed)
	}
}

func TestTogetherIsOneTransaction(t *testing.T) {
	db := openTogether(t)
	err := QueryBatch(t.Context(), db, []BatchQuery{
		{Text: `INSERT INTO together (n) VALUES (1)`},
		{Text: `INSERT INTO together (n) VALUES (1)`},
		{Text: `INSERT INTO together (n) VALUES (2)`},
	})
	var n int
	if scanned := db.QueryRowContext(t.Context(), `SELECT count(*) FROM together`).Scan(&n); scanned != nil || err == nil || n != 0 {
		t.Errorf("the table has %d rows, %v, %v; want none, and an error", n, err, scanned)
	}
}

// TestTogetherReplacesBrokenConnection checks that a connection that the server ended is
// removed from the pool.
func TestTogetherReplacesBrokenConnection(t *testing.T) {
	db := openTogether(t)
	var pid int
	if err := db.QueryRowContext(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	other, err := Open(Postgres, os.Getenv("BOTWORK_TEST_POSTGRES_DSN"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), `SELECT pg_terminate_backend($1, 5000)`, pid); err != nil {
		t.Fatal(err)
	}
	var one int
	ask := []BatchQuery{{Text: `SELECT 1`, Row: func(scan func(...any) error) error { return scan(&one) }}}
	// The first call may still get the server's error about the ended session.
	if err := QueryBatch(t.Context(), db, ask); err != nil {
		if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "57P01" {
			t.Fatalf("got %v, want no error or that of the ended session", err)
		}
		if err := QueryBatch(t.Context(), db, ask); err != nil {
			t.Fatal(err)
		}
	}
	if one != 1 {
		t.Errorf("answer %d, want 1", one)
	}
}

func TestTogetherEndsWithItsContext(t *testing.T) {
	db := openTogether(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := QueryBatch(ctx, db, []BatchQuery{{Text: `SELECT 1`}}); err == nil {
		t.Error("no error for an ended context")
	}
}

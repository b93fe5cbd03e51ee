package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// execModeSetting is the setting of a DSN by which its author chooses how statements are run.
const execModeSetting = "default_query_exec_mode"

// pooler finds out whether connections go through a pooler such as PgBouncer, which may give each
// transaction another connection to the server. A prepared statement exists on one of them only, so
// that the next use fails with 26000 or 42P05. Then statements are sent whole, with the types of
// their parameters as the server described them once (pgx's cache_describe): the mode exec, which
// takes the types from Go's values, would send the program's JSON and arrays with wrong ones.
type pooler struct {
	chosen bool // the DSN chooses the mode
	found  atomic.Bool
}

func newPooler(dsn string) *pooler {
	return &pooler{chosen: strings.Contains(dsn, execModeSetting)}
}

// configure sets the mode of a new connection.
func (p *pooler) configure(config *pgx.ConnConfig) {
	if p.found.Load() {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
}

// connected runs the statements of a new connection in one round trip. It returns
// driver.ErrBadConn for the first connection through a pooler: the pool opens another one, with
// the right mode.
func (p *pooler) connected(ctx context.Context, conn *pgx.Conn, statements string) error {
	pooled, err := throughPooler(ctx, conn, statements)
	if err == nil && pooled && !p.chosen && !p.found.Swap(true) {
		return driver.ErrBadConn
	}
	return err
}

// throughPooler runs statements and reports whether the process that runs them is another one than
// the connection was introduced to: a pooler has numbers of its own.
func throughPooler(ctx context.Context, conn *pgx.Conn, statements string) (bool, error) {
	results, err := conn.PgConn().Exec(ctx, statements+"SELECT pg_backend_pid()").ReadAll()
	if err != nil {
		return false, err
	}
	rows := results[len(results)-1].Rows
	if len(rows) != 1 {
		return false, fmt.Errorf("pg_backend_pid: got %d rows, want 1", len(rows))
	}
	return string(rows[0][0]) != strconv.FormatUint(uint64(conn.PgConn().PID()), 10), nil
}

// ThroughPooler reports whether a pool of PostgreSQL connects through a pooler such as PgBouncer. In
// pool_mode = session, too: the connection does not show which mode it is.
func ThroughPooler(ctx context.Context, db *sql.DB) (pooled bool, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	err = conn.Raw(func(c any) error {
		pooled, err = throughPooler(ctx, c.(*stdlib.Conn).Conn(), "")
		return err
	})
	return pooled, err
}

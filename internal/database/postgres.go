package database

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// stalledTransaction is the setting that ends a session that is idle in a transaction.
// Otherwise a process on a suspended or unreachable machine would keep its locks and
// block the whole cluster until TCP gives up: two hours by default, forever if the
// machine is only suspended.
const stalledTransaction, stalledAfter = "idle_in_transaction_session_timeout", "'10s'"

// pingAfter is how long a connection may be idle before it is checked. The driver's
// default of one second would cost an additional round trip for a worker that queries
// once a second.
const pingAfter = 5 * time.Second

func pings(_ context.Context, p stdlib.ShouldPingParams) bool { return p.IdleDuration > pingAfter }

// postgresConnectTimeout is the connect timeout for a DSN without connect_timeout.
const postgresConnectTimeout = 5 * time.Second

// sessionSettings are set for each connection.
var sessionSettings = []struct{ name, value string }{
	{stalledTransaction, stalledAfter},
	// For a large table PostgreSQL overestimates the cost of statements that compare a
	// time with now. It compiled the query for due items, which took up to a second, and
	// started parallel processes, which took 5 to 30 ms. The query itself reads only a
	// few index entries.
	{"jit", "off"},
	{"max_parallel_workers_per_gather", "0"},
	// Each statement is written for one plan, which the tests check. By itself PostgreSQL plans
	// a statement five times on each connection, and in a large table some of them each time,
	// because a plan for a certain limit or array looks better: to plan the query for due items
	// takes 5 to 20 ms, to run it less than one.
	{"plan_cache_mode", "force_generic_plan"},
	// With the default, which is for rotating disks, such a plan sorts what an index has in order.
	{"random_page_cost", "1.1"},
}

// SQLSTATEs for a session that the server ends, and for a commit with unknown outcome.
const (
	adminShutdown     = "57P01"
	resolutionUnknown = "08007"
)

// admitUnknownCommits changes the error of a session that was ended while its commit
// waited for a synchronous standby. The transaction is committed on the server, which
// reports that in a warning before the error. But the error itself is the same as that of
// an idle session, after which callers may safely retry.
func admitUnknownCommits(config *pgx.ConnConfig) {
	const mark = "botwork: committed locally"
	config.OnNotice = func(conn *pgconn.PgConn, n *pgconn.Notice) {
		if n.Code == adminShutdown {
			conn.CustomData()[mark] = true
		}
	}
	next := config.OnPgError
	config.OnPgError = func(conn *pgconn.PgConn, err *pgconn.PgError) bool {
		if err.Code == adminShutdown && conn.CustomData()[mark] != nil {
			err.Code, err.Detail = resolutionUnknown, "The transaction is committed on the server that ended, but maybe not on its standby."
		}
		return next == nil || next(conn, err)
	}
}

// openPostgres prepares a pool. Settings that the DSN contains keep their values.
func openPostgres(dsn string, greet Greeting) (*sql.DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	known := newServers(closeWriting)
	config.DialFunc = known.DialContext
	order := newHosts(config, known)
	admitUnknownCommits(config)
	pooler := newPooler(dsn)
	var set strings.Builder
	for _, s := range sessionSettings {
		if _, own := config.RuntimeParams[s.name]; !own {
			fmt.Fprintf(&set, "SET %s = %s;", s.name, s.value)
		}
	}
	// PgBouncer rejects these settings as connection parameters.
	return stdlib.OpenDB(*config, stdlib.OptionShouldPing(pings),
		stdlib.OptionBeforeConnect(func(ctx context.Context, config *pgx.ConnConfig) error {
			order.order(ctx, config)
			pooler.configure(config)
			return nil
		}),
		stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
			order.connected(conn)
			err := pooler.connected(ctx, conn, set.String())
			if err == nil && greet != nil {
				err = greet(ctx, func(query string, to ...any) error { return conn.QueryRow(ctx, query).Scan(to...) })
			}
			if err != nil {
				_ = conn.Close(ctx) // the driver does not close it
			}
			return err
		})), nil
}

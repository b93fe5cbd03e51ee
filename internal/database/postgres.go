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

// stalledTransaction is the setting that ends a session which does nothing in
// the middle of a transaction. A process whose machine has gone to sleep, or has
// vanished without a word, would else hold its locks, and with them the whole
// cluster, until TCP gives up: two hours by default, for ever when it is only
// suspended.
const stalledTransaction, stalledAfter = "idle_in_transaction_session_timeout", "'10s'"

// pingAfter is how long a connection may lie idle and still be taken for alive. Every
// second, which is the driver's default, would be a round trip more for a worker that
// looks once a second.
const pingAfter = 5 * time.Second

func pings(_ context.Context, p stdlib.ShouldPingParams) bool { return p.IdleDuration > pingAfter }

// postgresConnectTimeout is how long the server of a DSN that names no connect_timeout has
// to accept a connection.
const postgresConnectTimeout = 5 * time.Second

// sessionSettings are what each connection sets.
var sessionSettings = []struct{ name, value string }{
	{stalledTransaction, stalledAfter},
	// Of a large table PostgreSQL takes every statement that compares a time with now for a
	// dear one. It compiled the look at what is due, for up to a second, and began other
	// processes for it, which takes 5 to 30 ms; the look itself reads some index entries.
	{"jit", "off"},
	{"max_parallel_workers_per_gather", "0"},
}

// SQLSTATEs of a server that ends the session, and of a commit whose outcome is unknown.
const (
	adminShutdown     = "57P01"
	resolutionUnknown = "08007"
)

// admitUnknownCommits changes the error of a session that was ended while its commit waited
// for a synchronous standby. The commit is done on the server, which says so in a warning
// before the error; the error is the one that an idle session gets, after which
// everything can be repeated.
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

// openPostgres prepares a pool. A DSN that names a setting itself is left its
// own value.
func openPostgres(dsn string, greet Greeting) (*sql.DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	known := newServers(closeWriting)
	config.DialFunc = known.DialContext
	order := newHosts(config, known)
	admitUnknownCommits(config)
	var set strings.Builder
	for _, s := range sessionSettings {
		if _, own := config.RuntimeParams[s.name]; !own {
			fmt.Fprintf(&set, "SET %s = %s;", s.name, s.value)
		}
	}
	// Not as parameters of the connection: PgBouncer refuses those.
	return stdlib.OpenDB(*config, stdlib.OptionShouldPing(pings),
		stdlib.OptionBeforeConnect(func(ctx context.Context, config *pgx.ConnConfig) error {
			order.order(ctx, config)
			return nil
		}),
		stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
			order.connected(conn)
			_, err := conn.Exec(ctx, set.String())
			if err == nil && greet != nil {
				err = greet(ctx, func(query string, to ...any) error { return conn.QueryRow(ctx, query).Scan(to...) })
			}
			if err != nil {
				_ = conn.Close(ctx) // the driver does not
			}
			return err
		})), nil
}

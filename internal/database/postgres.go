package database

import (
	"context"
	"database/sql"
	"time"

	"github.com/jackc/pgx/v5"
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

// openPostgres prepares a pool. A DSN that names the setting itself is left its
// own value.
func openPostgres(dsn string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	if _, own := config.RuntimeParams[stalledTransaction]; own {
		return stdlib.OpenDB(*config, stdlib.OptionShouldPing(pings)), nil
	}
	// Not as a parameter of the connection: PgBouncer refuses those.
	return stdlib.OpenDB(*config, stdlib.OptionShouldPing(pings), stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SET "+stalledTransaction+" = "+stalledAfter)
		return err
	})), nil
}

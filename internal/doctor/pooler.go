package doctor

import (
	"context"
	"database/sql"
	"fmt"

	"botwork/internal/database"
)

// pooler reports whether the connections go through a pooler such as PgBouncer.
func (d *Doctor) pooler(ctx context.Context) []Result {
	pooled, err := database.ThroughPooler(ctx, d.db.Load())
	if err != nil {
		return d.queryFailed(ctx, database.Redact(err, d.o.DSN))
	}
	if !pooled {
		return ok("none: the connections are the server's own")
	}
	var idleMs int64
	var role string
	if err := d.query(ctx, "session", func(rows *sql.Rows) error { return rows.Scan(&idleMs, &role) }); err != nil {
		return d.queryFailed(ctx, err)
	}
	const found = "the connections go through a pooler such as PgBouncer: statements are not prepared"
	if idleMs == 0 {
		return warning(found+", and a machine that goes to sleep may hold locks for ever",
			fmt.Sprintf(`with pool_mode = transaction, only the server can set this for all sessions: ALTER ROLE "%s" SET idle_in_transaction_session_timeout = '10s'`, role))
	}
	return ok(found)
}

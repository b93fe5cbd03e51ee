package bench

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"botwork/internal/database"
)

// These statements were the fastest that we tried. The index contains waiting items by
// AvailableAt, which a claim sets to NULL. A predicate on State would make the finish
// update every index again, and would prevent updates within the page. A fill factor of
// 50 reserves space for those updates. Rows are found by ctid, because the claim has just
// locked them. COPY is faster than arrays in unnest, and those are faster than JSON.
// Batches of 10,000 are faster than batches of 1,000. The session disables plans that
// sort or scan the table, which the engine may choose for a new table.
const (
	postgresTable = `CREATE TABLE limit_items (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, state smallint NOT NULL, priority int NOT NULL,
		available_at timestamptz, payload text NOT NULL, fence bigint NOT NULL DEFAULT 0, finished_at timestamptz
	) WITH (fillfactor = 50)`
	postgresIndex = `CREATE INDEX limit_items_waiting ON limit_items (priority DESC, id) WHERE available_at IS NOT NULL`
	postgresOne   = `INSERT INTO limit_items (state, priority, available_at, payload) VALUES (0, $1, statement_timestamp(), $2)`
	postgresClaim = `UPDATE limit_items SET state = 1, available_at = NULL, fence = fence + 1
		WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM limit_items WHERE available_at <= statement_timestamp()
			ORDER BY priority DESC, id LIMIT $1 FOR UPDATE SKIP LOCKED))
		RETURNING id, fence, payload`
	postgresFinish = `UPDATE limit_items SET state = 2, finished_at = statement_timestamp()
		FROM unnest($1::bigint[], $2::bigint[]) AS f (id, fence)
		WHERE limit_items.id = f.id AND limit_items.fence = f.fence AND limit_items.state = 1`
)

// rawPostgres is a connection. A session is a second connection.
type rawPostgres struct {
	dsn    string
	conn   *pgx.Conn
	batch  []rawItem
	ids    []int64
	fences []int64
}

func newRawPostgres(ctx context.Context, dsn string) (*rawPostgres, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, database.Redact(err, dsn)
	}
	q := &rawPostgres{dsn: dsn, conn: conn}
	for _, text := range []string{postgresTable, postgresIndex} {
		if _, err := conn.Exec(ctx, text); err != nil {
			_ = q.close() // the first error is more useful
			return nil, err
		}
	}
	return q, nil
}

func (q *rawPostgres) one(ctx context.Context) error {
	_, err := q.conn.Exec(ctx, postgresOne, rawPriority, rawPayload)
	return err
}

func (q *rawPostgres) bulk(ctx context.Context, n int) error {
	now, err := q.now(ctx)
	if err != nil {
		return err
	}
	row := []any{int16(0), int32(rawPriority), now, rawPayload}
	_, err = q.conn.CopyFrom(ctx, pgx.Identifier{"limit_items"}, []string{"state", "priority", "available_at", "payload"},
		pgx.CopyFromFunc(func() ([]any, error) {
			if n--; n < 0 {
				return nil, nil
			}
			return row, nil
		}))
	return err
}

// now returns the server's time, which decides what is due.
func (q *rawPostgres) now(ctx context.Context) (now any, err error) {
	err = q.conn.QueryRow(ctx, `SELECT statement_timestamp()`).Scan(&now)
	return now, err
}

func (q *rawPostgres) empty(ctx context.Context) error {
	_, err := q.conn.Exec(ctx, `TRUNCATE limit_items RESTART IDENTITY`)
	return err
}

func (q *rawPostgres) session(ctx context.Context) (rawSession, error) {
	conn, err := pgx.Connect(ctx, q.dsn)
	if err != nil {
		return nil, database.Redact(err, q.dsn)
	}
	// The new table has no statistics. The plans that the engine then chose made the
	// drain four times slower.
	if _, err := conn.Exec(ctx, `SET enable_seqscan = off; SET enable_sort = off`); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return &rawPostgres{dsn: q.dsn, conn: conn}, nil
}

func (q *rawPostgres) claim(ctx context.Context, most int) ([]rawItem, error) {
	q.batch = q.batch[:0]
	rows, err := q.conn.Query(ctx, postgresClaim, most)
	if err != nil {
		return nil, err
	}
	var it rawItem
	var payload string
	_, err = pgx.ForEachRow(rows, []any{&it.id, &it.fence, &payload}, func() error {
		q.batch = append(q.batch, it)
		return nil
	})
	return q.batch, err
}

func (q *rawPostgres) finish(ctx context.Context, batch []rawItem) error {
	q.ids, q.fences = q.ids[:0], q.fences[:0]
	for _, it := range batch {
		q.ids, q.fences = append(q.ids, it.id), append(q.fences, it.fence)
	}
	_, err := q.conn.Exec(ctx, postgresFinish, q.ids, q.fences)
	return err
}

func (q *rawPostgres) processed(ctx context.Context) (n int, err error) {
	err = q.conn.QueryRow(ctx, `SELECT COUNT(*) FROM limit_items WHERE state = 2 AND fence = 1`).Scan(&n)
	return n, err
}

func (q *rawPostgres) close() error { return q.conn.Close(context.Background()) }

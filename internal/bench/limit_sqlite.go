package bench

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"botwork/internal/database"
)

// These statements were the fastest that we tried. A hundred rows of VALUES in one
// statement are more than twice as fast as single inserts in one transaction or
// json_each. To finish a batch, single prepared updates in one transaction and json_each
// are equally fast. The statements go directly to the driver, because database/sql would
// take a quarter of the time of a single insert.
const (
	sqliteTable = `CREATE TABLE limit_items (
		id INTEGER PRIMARY KEY, state INTEGER NOT NULL, priority INTEGER NOT NULL, available_at INTEGER NOT NULL,
		payload TEXT NOT NULL, fence INTEGER NOT NULL DEFAULT 0, finished_at INTEGER)`
	sqliteIndex  = `CREATE INDEX limit_items_waiting ON limit_items (priority DESC, id) WHERE state = 0`
	sqliteInsert = `INSERT INTO limit_items (state, priority, available_at, payload) VALUES `
	sqliteRow    = `(0, ?, ?, ?)`
	sqliteClaim  = `UPDATE limit_items SET state = 1, fence = fence + 1
		WHERE id IN (SELECT id FROM limit_items WHERE state = 0 AND available_at <= ? ORDER BY priority DESC, id LIMIT ?)
		RETURNING id, fence, payload`
	sqliteFinish = `UPDATE limit_items SET state = 2, finished_at = ? FROM json_each(?) AS f
		WHERE limit_items.id = f.value ->> 0 AND limit_items.fence = f.value ->> 1 AND limit_items.state = 1`

	sqliteRows = 100 // of one bulk insert
)

// rawSQLite is a connection. A session is a second connection.
type rawSQLite struct {
	pool *sql.DB
	conn *sql.Conn
	made map[string]driver.Stmt
	args []driver.NamedValue

	batch []rawItem
	refs  [][2]int64
}

func newRawSQLite(ctx context.Context, dsn string) (*rawSQLite, error) {
	pool, err := database.Open(database.SQLite, dsn)
	if err != nil {
		return nil, err
	}
	for _, text := range []string{sqliteTable, sqliteIndex} {
		if _, err := pool.ExecContext(ctx, text); err != nil {
			return nil, errors.Join(err, pool.Close())
		}
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return &rawSQLite{pool: pool, conn: conn, made: map[string]driver.Stmt{}}, nil
}

// statement prepares each text once. Only this queue uses the connection, so the prepared
// statements stay valid until it is closed.
func (q *rawSQLite) statement(text string) (driver.Stmt, error) {
	if st, ok := q.made[text]; ok {
		return st, nil
	}
	err := q.conn.Raw(func(c any) error {
		st, err := c.(driver.Conn).Prepare(text)
		if err == nil {
			q.made[text] = st
		}
		return err
	})
	return q.made[text], err
}

// values converts arguments to the form that drivers expect.
func (q *rawSQLite) values(args []driver.Value) []driver.NamedValue {
	q.args = q.args[:0]
	for i, v := range args {
		q.args = append(q.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return q.args
}

// exec runs a statement to its end. It passes no context that can be cancelled, because
// the driver would start a goroutine for each; the statements are short.
func (q *rawSQLite) exec(text string, args ...driver.Value) error {
	st, err := q.statement(text)
	if err != nil {
		return err
	}
	_, err = st.(driver.StmtExecContext).ExecContext(context.Background(), q.values(args))
	return err
}

func (q *rawSQLite) one(context.Context) error {
	return q.exec(sqliteInsert+sqliteRow, int64(rawPriority), time.Now().UnixMilli(), rawPayload)
}

func (q *rawSQLite) bulk(_ context.Context, n int) error {
	if err := q.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	now := time.Now().UnixMilli()
	for n > 0 {
		rows := min(n, sqliteRows)
		n -= rows
		args := make([]driver.Value, 0, 3*rows)
		for range rows {
			args = append(args, int64(rawPriority), now, rawPayload)
		}
		text := sqliteInsert + strings.Repeat(sqliteRow+", ", rows-1) + sqliteRow
		if err := q.exec(text, args...); err != nil {
			return errors.Join(err, q.exec("ROLLBACK"))
		}
	}
	return q.exec("COMMIT")
}

func (q *rawSQLite) empty(context.Context) error { return q.exec(`DELETE FROM limit_items`) }

func (q *rawSQLite) session(ctx context.Context) (rawSession, error) {
	conn, err := q.pool.Conn(ctx)
	return &rawSQLite{conn: conn, made: map[string]driver.Stmt{}}, err
}

func (q *rawSQLite) claim(_ context.Context, most int) ([]rawItem, error) {
	st, err := q.statement(sqliteClaim)
	if err != nil {
		return nil, err
	}
	rows, err := st.(driver.StmtQueryContext).QueryContext(context.Background(), q.values([]driver.Value{time.Now().UnixMilli(), int64(most)}))
	if err != nil {
		return nil, err
	}
	q.batch = q.batch[:0]
	row := make([]driver.Value, 3)
	for err = rows.Next(row); err == nil; err = rows.Next(row) {
		q.batch = append(q.batch, rawItem{id: row[0].(int64), fence: row[1].(int64)})
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return q.batch, errors.Join(err, rows.Close())
}

func (q *rawSQLite) finish(_ context.Context, batch []rawItem) error {
	q.refs = q.refs[:0]
	for _, it := range batch {
		q.refs = append(q.refs, [2]int64{it.id, it.fence})
	}
	text, err := json.Marshal(q.refs)
	if err != nil {
		return err
	}
	return q.exec(sqliteFinish, time.Now().UnixMilli(), string(text))
}

func (q *rawSQLite) processed(ctx context.Context) (n int, err error) {
	err = q.conn.QueryRowContext(ctx, `SELECT COUNT(*) FROM limit_items WHERE state = 2 AND fence = 1`).Scan(&n)
	return n, err
}

func (q *rawSQLite) close() error {
	var errs []error
	for _, st := range q.made {
		errs = append(errs, st.Close())
	}
	errs = append(errs, q.conn.Close())
	if q.pool != nil {
		errs = append(errs, q.pool.Close())
	}
	return errors.Join(errs...)
}

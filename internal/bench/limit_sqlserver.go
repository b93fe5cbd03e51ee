package bench

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"botwork/internal/database"
)

// A batch is one JSON parameter, which OPENJSON reads, because a statement has at most
// 2,100 parameters. The hints prevent claims from waiting for each other.
const (
	sqlserverTable = `CREATE TABLE limit_items (
		id BIGINT IDENTITY NOT NULL PRIMARY KEY, state TINYINT NOT NULL, priority INT NOT NULL, available_at DATETIME2(3) NOT NULL,
		payload NVARCHAR(4000) NOT NULL, fence BIGINT NOT NULL DEFAULT 0, finished_at DATETIME2(3) NULL)`
	sqlserverIndex = `CREATE INDEX limit_items_waiting ON limit_items (priority DESC, id) INCLUDE (available_at) WHERE state = 0`
	sqlserverOne   = `INSERT INTO limit_items (state, priority, available_at, payload) VALUES (0, @p1, SYSUTCDATETIME(), @p2)`
	sqlserverBulk  = `INSERT INTO limit_items (state, priority, available_at, payload)
		SELECT 0, j.P, SYSUTCDATETIME(), j.B FROM OPENJSON(@p1) WITH (P INT '$.P', B NVARCHAR(4000) '$.B') AS j`
	sqlserverClaim = `UPDATE t SET state = 1, fence = t.fence + 1
		OUTPUT inserted.id, inserted.fence, inserted.payload
		FROM limit_items AS t
		WHERE t.state = 0 AND t.id IN (
			SELECT TOP (@p1) c.id FROM limit_items AS c WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK)
			WHERE c.state = 0 AND c.available_at <= SYSUTCDATETIME()
			ORDER BY c.priority DESC, c.id)`
	sqlserverFinish = `UPDATE t SET state = 2, finished_at = SYSUTCDATETIME()
		FROM limit_items AS t
		INNER JOIN OPENJSON(@p1) WITH (Id BIGINT '$.I', Fence BIGINT '$.F') AS f ON t.id = f.Id AND t.fence = f.Fence
		WHERE t.state = 1`
	sqlserverEmpty = `TRUNCATE TABLE limit_items` // the next id is 1 again
)

// sqlserverStatements lists all statements for the test that parses them.
var sqlserverStatements = []string{
	sqlserverTable, sqlserverIndex, sqlserverOne, sqlserverBulk, sqlserverClaim, sqlserverFinish, sqlserverEmpty,
}

// rawSQLServer is a connection. A session is a second connection.
type rawSQLServer struct {
	pool  *sql.DB // of the queue itself; nil in a session
	conn  *sql.Conn
	batch []rawItem
}

func newRawSQLServer(ctx context.Context, dsn string) (*rawSQLServer, error) {
	pool, err := database.Open(database.SQLServer, dsn)
	if err != nil {
		return nil, err
	}
	for _, text := range []string{sqlserverTable, sqlserverIndex} {
		if _, err := pool.ExecContext(ctx, text); err != nil {
			return nil, errors.Join(err, pool.Close())
		}
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return &rawSQLServer{pool: pool, conn: conn}, nil
}

func (q *rawSQLServer) one(ctx context.Context) error {
	_, err := q.conn.ExecContext(ctx, sqlserverOne, rawPriority, rawPayload)
	return err
}

func (q *rawSQLServer) bulk(ctx context.Context, n int) error {
	type row struct {
		P int
		B string
	}
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{rawPriority, rawPayload}
	}
	return q.execJSON(ctx, sqlserverBulk, rows)
}

func (q *rawSQLServer) execJSON(ctx context.Context, statement string, rows any) error {
	text, err := json.Marshal(rows)
	if err == nil {
		_, err = q.conn.ExecContext(ctx, statement, string(text))
	}
	return err
}

func (q *rawSQLServer) empty(ctx context.Context) error {
	_, err := q.conn.ExecContext(ctx, sqlserverEmpty)
	return err
}

func (q *rawSQLServer) session(ctx context.Context) (rawSession, error) {
	conn, err := q.pool.Conn(ctx)
	return &rawSQLServer{conn: conn}, err
}

func (q *rawSQLServer) claim(ctx context.Context, most int) ([]rawItem, error) {
	rows, err := q.conn.QueryContext(ctx, sqlserverClaim, most)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	q.batch = q.batch[:0]
	for rows.Next() {
		var it rawItem
		var payload sql.RawBytes
		if err := rows.Scan(&it.id, &it.fence, &payload); err != nil {
			return nil, err
		}
		q.batch = append(q.batch, it)
	}
	return q.batch, rows.Err()
}

func (q *rawSQLServer) finish(ctx context.Context, batch []rawItem) error {
	type ref struct{ I, F int64 }
	refs := make([]ref, len(batch))
	for i, it := range batch {
		refs[i] = ref{it.id, it.fence}
	}
	return q.execJSON(ctx, sqlserverFinish, refs)
}

func (q *rawSQLServer) processed(ctx context.Context) (n int, err error) {
	err = q.conn.QueryRowContext(ctx, `SELECT COUNT(*) FROM limit_items WHERE state = 2 AND fence = 1`).Scan(&n)
	return n, err
}

func (q *rawSQLServer) close() error {
	err := q.conn.Close()
	if q.pool != nil {
		err = errors.Join(err, q.pool.Close())
	}
	return err
}

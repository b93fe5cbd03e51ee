package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// BatchQuery is a statement for PostgreSQL and the function that receives its result.
type BatchQuery struct {
	Text string
	Args []any

	// Row is called for each row; nil if no rows are needed. It is not called again after
	// a question of the same call has failed.
	Row func(scan func(to ...any) error) error

	// Changed is the number of rows that the statement changed; QueryBatch sets it.
	Changed int64
}

// freshTries limits how often QueryBatch tries another connection.
const freshTries = 3

// QueryBatch sends all questions to PostgreSQL on one connection of the pool and then reads
// all answers: one round trip. The questions are one transaction. Each question sees what
// was committed before it started; if one fails, all are rolled back.
func QueryBatch(ctx context.Context, db *sql.DB, questions []BatchQuery) error {
	var err error
	for range freshTries {
		if err = onConnection(ctx, db, questions); !errors.Is(err, driver.ErrBadConn) {
			break
		}
	}
	return err
}

func onConnection(ctx context.Context, db *sql.DB, questions []BatchQuery) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // it returns to the pool
	return conn.Raw(func(c any) error {
		std, ok := c.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("ask together: got a connection of type %T, want PostgreSQL's", c)
		}
		err := send(ctx, std.Conn(), questions)
		if err != nil && pgconn.SafeToRetry(err) {
			return driver.ErrBadConn // nothing has reached the server
		}
		return err
	})
}

func send(ctx context.Context, conn *pgx.Conn, questions []BatchQuery) error {
	batch := &pgx.Batch{}
	for i := range questions {
		q := &questions[i]
		batch.Queue(q.Text, q.Args...).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				if q.Row == nil {
					continue
				}
				if err := q.Row(rows.Scan); err != nil {
					return err
				}
			}
			rows.Close()
			q.Changed = rows.CommandTag().RowsAffected()
			return rows.Err()
		})
	}
	return conn.SendBatch(ctx, batch).Close()
}

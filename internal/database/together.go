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

// Question is a statement for PostgreSQL and what takes its answer.
type Question struct {
	Text string
	Args []any

	// Row takes a row; nil where no rows matter. Once a question of the same call has
	// failed it is not called any more.
	Row func(scan func(to ...any) error) error

	// Changed is how many rows the statement has changed; Together sets it.
	Changed int64
}

// freshTries bounds how often Together looks for a connection that is alive.
const freshTries = 3

// Together sends questions to PostgreSQL over one connection of the pool and then reads
// all answers: one round trip. They are one transaction, in which each sees what was
// committed before it began; the first that fails undoes all.
func Together(ctx context.Context, db *sql.DB, questions []Question) error {
	var err error
	for range freshTries {
		if err = onConnection(ctx, db, questions); !errors.Is(err, driver.ErrBadConn) {
			break
		}
	}
	return err
}

func onConnection(ctx context.Context, db *sql.DB, questions []Question) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // it goes back to the pool
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

func send(ctx context.Context, conn *pgx.Conn, questions []Question) error {
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

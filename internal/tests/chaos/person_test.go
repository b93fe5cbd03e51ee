//go:build unix

package chaos

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"botwork/internal/testdb"
)

// person is a person who changes rows of items by hand, and looks at them for a while before the
// change is rolled back.
type person struct {
	c      *cluster
	engine testdb.Engine
	rand   *rand.Rand
	held   atomic.Int64 // how many rows
}

// look holds one row after another, for up to twice a lease, until ctx ends. On SQLite it does
// nothing: a change that is not committed stops all other writers.
func (p *person) look(ctx context.Context) {
	if p.engine.Server == "" {
		return
	}
	db := p.engine.SQL(p.c.T, p.c.dsn)
	for ctx.Err() == nil {
		tx, err := db.BeginTx(context.WithoutCancel(ctx), nil)
		if err != nil {
			p.c.Error(err)
			return
		}
		const state = `UPDATE "BotWorkQueueItems" SET "Progress" = "Progress" WHERE "Id" = (SELECT MIN(i."Id") FROM "BotWorkQueueItems" i WHERE i."State" = `
		statement := state + []string{"1)", "5)", "0)", "4)"}[p.rand.IntN(4)]
		hold := time.Duration(p.rand.Int64N(int64(2 * *lease)))
		bounded, cancel := context.WithTimeout(ctx, time.Second) // a worker may be suspended while it writes this row
		result, err := tx.ExecContext(bounded, statement)
		if err == nil {
			n, _ := result.RowsAffected()
			if p.held.Add(n); n == 0 {
				hold = 50 * time.Millisecond
			}
			select {
			case <-ctx.Done():
			case <-time.After(hold):
			}
		}
		cancel()
		_ = tx.Rollback() // it is over already if the statement was cancelled
	}
}

package bench

import (
	"context"
	"time"

	"botwork/internal/database"
)

// awaitEnd waits until no item is waiting or running. Items that do not end in time
// appear in the final count.
func (c Common) awaitEnd(ctx context.Context, dsn string, died <-chan error) error {
	db, err := database.Open(c.Driver, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	for end := time.Now().Add(soakPatience); time.Now().Before(end); {
		var left int
		if err := db.QueryRowContext(ctx, unfinishedItems).Scan(&left); err != nil {
			return database.Redact(err, dsn)
		}
		if left == 0 {
			return nil
		}
		select {
		case <-time.After(soakLook):
		case err := <-died:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

package sqlstore_test

import (
	"context"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// A process that is suspended in the middle of an assignment pass must not keep
// the lock from all others: the server ends its session, and its pass is run
// again when it wakes up.
func TestAStalledPassLosesTheLock(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver != database.Postgres {
			t.Skip("only PostgreSQL ends sessions that stall in a transaction")
		}
		dsn := e.DSN(t)
		sep := " "
		if strings.Contains(dsn, "://") {
			sep = "&"
		}
		stalled, other := e.Open(t, dsn+sep+"idle_in_transaction_session_timeout=200"), e.Open(t, dsn)
		passes := 0
		err := stalled.Assign(t.Context(), func(ctx context.Context, tx workqueue.AssignTx) error {
			passes++
			if passes == 1 {
				if err := other.Assign(ctx, func(context.Context, workqueue.AssignTx) error { return nil }); err != nil {
					t.Errorf("another pass while the first one stalls = %v, want nil", err)
				}
			}
			_, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 1)
			return err
		})
		if err != nil || passes != 2 {
			t.Errorf("Assign = %v after %d passes, want nil after a second one", err, passes)
		}
	})
}

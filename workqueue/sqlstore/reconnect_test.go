package sqlstore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// A server that restarts ends all connections of the pool. The next call of each kind must
// succeed anyway.
func TestSurvivesDeadConnections(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver != database.Postgres {
			t.Skip("only PostgreSQL has connections that a test can end")
		}
		dsn := e.DSN(t)
		byHand := e.SQL(t, dsn)
		const application = "botwork_test_reconnect"
		sep := " "
		if strings.Contains(dsn, "://") {
			sep = "&"
		}
		named := dsn + sep + "application_name=" + application
		store := e.Open(t, named)
		factory := storetest.NewFactory(t, store)
		w := factory.Worker(storetest.WorkerOpts{})
		kill := func() {
			t.Helper()
			var n int
			err := byHand.QueryRowContext(t.Context(),
				`SELECT COUNT(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE application_name = $1`, application).Scan(&n)
			if err != nil || n == 0 {
				t.Fatalf("%d connections were ended (error %v), want some", n, err)
			}
		}
		it := factory.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 7})
		factory.Item(storetest.ItemOpts{State: workqueue.Assigned, Worker: w})
		for _, c := range []struct {
			name string
			call func(ctx context.Context, s *sqlstore.Store) error
		}{
			{"Enqueue", func(ctx context.Context, s *sqlstore.Store) error {
				_, err := s.Enqueue(ctx, []workqueue.NewItem{{IntegrationConfig: "x"}})
				return err
			}},
			{"Items", func(ctx context.Context, s *sqlstore.Store) error {
				_, err := s.Items(ctx, workqueue.ItemFilter{})
				return err
			}},
			{"Assign", func(ctx context.Context, s *sqlstore.Store) error {
				return s.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
					_, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 1)
					return err
				})
			}},
			{"Claim", func(ctx context.Context, s *sqlstore.Store) error {
				_, err := s.Claim(ctx, workqueue.ClaimParams{WorkerID: w.ID, InstanceID: w.InstanceID, Band: workqueue.EveryPriority, Max: 1, Lease: time.Minute})
				return err
			}},
			{"Beat", func(ctx context.Context, s *sqlstore.Store) error {
				_, err := s.Beat(ctx, workqueue.BeatParams{WorkerID: w.ID, InstanceID: w.InstanceID, Lease: time.Minute})
				return err
			}},
			{"Finish", func(ctx context.Context, s *sqlstore.Store) error {
				_, err := s.Finish(ctx, w.ID, w.InstanceID, []workqueue.Finish{{ItemID: it.ID, Fence: it.Fence, State: workqueue.Processed}})
				return err
			}},
		} {
			kill()
			if err := c.call(t.Context(), store); err != nil {
				t.Errorf("%s after the connections were ended: %v", c.name, err)
			}
		}
		if got, err := store.Item(t.Context(), it.ID); err != nil || got.State != workqueue.Processed {
			t.Errorf("the item is %s (error %v), want Processed", got.State, err)
		}
	})
}

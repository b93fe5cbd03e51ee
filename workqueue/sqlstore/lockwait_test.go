package sqlstore_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// A change that needs a row that a person holds says who holds it, and gives up after the lock
// timeout without a change; if the person ends before, it is done.
func TestChangesWaitForRows(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver == database.SQLite {
			t.Skip("an open transaction holds the whole database")
		}
		dsn := e.DSN(t)
		e.Open(t, dsn) // migrates
		byHand := e.SQL(t, dsn)
		for _, c := range []struct {
			name   string
			change func(store *sqlstore.Store, id int64) error
		}{
			{"cancel", func(store *sqlstore.Store, id int64) error {
				_, err := store.ChangeItem(t.Context(), id, workqueue.Change{Action: workqueue.Cancel})
				return err
			}},
			{"cancel by a filter", func(store *sqlstore.Store, id int64) error {
				_, err := store.ChangeItems(t.Context(), workqueue.ItemFilter{IDs: []int64{id}}, workqueue.Change{Action: workqueue.Cancel})
				return err
			}},
		} {
			t.Run(c.name, func(t *testing.T) {
				release := make(chan func(), 1)
				var said []workqueue.RowHolder
				open := func(timeout time.Duration, waiting func([]workqueue.RowHolder)) *sqlstore.Store {
					store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(e.Driver), DSN: dsn, LockTimeout: timeout, Waiting: waiting})
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = store.Close() })
					store.SetLockNotice(20 * time.Millisecond)
					return store
				}
				impatient := open(100*time.Millisecond, func(list []workqueue.RowHolder) { said = list })
				enqueued, err := impatient.Enqueue(t.Context(), []workqueue.NewItem{{State: workqueue.Pending, Priority: 1000, IntegrationConfig: "work"}})
				if err != nil {
					t.Fatal(err)
				}
				id := enqueued[0].ID
				tx, err := byHand.BeginTx(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				release <- func() { _ = tx.Rollback() }
				if _, err := tx.ExecContext(t.Context(), `UPDATE "BotWorkQueueItems" SET "Progress" = NULL WHERE "State" = 4`); err != nil {
					t.Fatal(err)
				}
				err = c.change(impatient, id)
				gaveUp, ok := errors.AsType[*workqueue.LockWaitError](err)
				if !ok || len(gaveUp.Holders) != 1 || gaveUp.Holders[0].Session != said[0].Session || !strings.Contains(err.Error(), gaveUp.Holders[0].End) {
					t.Fatalf("error %v, said %v; want the same session in both", err, said)
				}
				if now, err := impatient.Item(t.Context(), id); err != nil || now.State != workqueue.Pending {
					t.Errorf("the item is %v, %v, want it unchanged", now.State, err)
				}
				patient := open(time.Minute, func([]workqueue.RowHolder) { (<-release)() })
				if err := c.change(patient, id); err != nil {
					t.Error(err)
				}
				if now, err := patient.Item(t.Context(), id); err != nil || now.State != workqueue.Cancelled {
					t.Errorf("the item is %v, %v, want the change done", now.State, err)
				}
			})
		}
	})
}

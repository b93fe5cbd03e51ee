package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// promoted is a database that records another timeline than the server's, as on a standby just
// after its promotion.
type promoted struct {
	*testing.T
	store *sqlstore.Store
	dsn   string
	hand  *sql.DB
	w     workqueue.Worker
	ids   []int64
}

// eachPromoted promotes the server while the store's connection stays open, as it does through
// a pooler. The store has one connection: a second one would raise the epoch when it is opened.
func eachPromoted(t *testing.T, test func(x *promoted)) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver != database.Postgres {
			t.Skip("no other engine has a timeline that statements can compare")
		}
		x := &promoted{T: t, dsn: e.DSN(t)}
		e.Open(t, x.dsn) // creates the schema
		var err error
		if x.store, err = sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(e.Driver), DSN: x.dsn, MaxOpen: 1}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.store.Close() })
		x.hand = e.SQL(t, x.dsn)
		f := storetest.NewFactory(t, x.store)
		x.w = f.Worker(storetest.WorkerOpts{})
		x.beat()
		x.ids = f.Items(3, storetest.ItemOpts{})
		f.Assign(x.w, x.ids[0])
		result, err := x.hand.ExecContext(t.Context(), `UPDATE "BotInstallation" SET "Timeline" = '0000BEEF' WHERE "Timeline" IS NOT NULL`)
		if n, _ := result.RowsAffected(); err != nil || n != 1 {
			t.Fatalf("the timeline was recorded %d times, %v; want once, by the first connection", n, err)
		}
		test(x)
	})
}

func (x *promoted) beat() workqueue.BeatResult {
	x.Helper()
	result, err := x.store.Beat(x.Context(), workqueue.BeatParams{WorkerID: x.w.ID, InstanceID: x.w.InstanceID, Lease: time.Minute})
	if err != nil {
		x.Fatal(err)
	}
	return result
}

func (x *promoted) claim() []workqueue.Item {
	x.Helper()
	items, err := x.store.Claim(x.Context(), claimAll(x.w, time.Minute))
	if err != nil {
		x.Fatal(err)
	}
	return items
}

func (x *promoted) epoch() int64 {
	x.Helper()
	var epoch int64
	if err := x.hand.QueryRowContext(x.Context(), `SELECT "Epoch" FROM "BotInstallation"`).Scan(&epoch); err != nil {
		x.Fatal(err)
	}
	return epoch
}

func TestClaimsWaitForEpochAfterPromotion(t *testing.T) {
	eachPromoted(t, func(x *promoted) {
		if got := x.claim(); len(got) != 0 {
			x.Errorf("claimed %d items before the epoch was raised", len(got))
		}
		err := x.store.Assign(x.Context(), func(ctx context.Context, tx workqueue.AssignTx) error {
			items, err := tx.AssignAndClaim(ctx, []workqueue.Assignment{{ItemID: x.ids[1], WorkerID: x.w.ID}}, workqueue.PassClaim{
				WorkerID: x.w.ID, InstanceID: x.w.InstanceID, Lease: time.Minute, Max: 1,
			})
			if len(items) != 0 {
				x.Errorf("took %d items before the epoch was raised", len(items))
			}
			return err
		})
		if err != nil {
			x.Error(err)
		}
		if x.epoch() != 0 {
			x.Fatal("the epoch was raised already: nothing was tested")
		}
		change := x.beat().History
		if change == nil || !strings.Contains(change.After.Reason, "0000BEEF") {
			x.Errorf("the heartbeat reported %+v, want the changed timeline", change)
		}
		if got := x.claim(); len(got) != 1 || got[0].Fence != workqueue.FencesOfEpoch+1 {
			x.Errorf("claimed %d items after that, want one with the first fence of epoch 1: %+v", len(got), got)
		}
		if x.epoch() != 1 {
			x.Errorf("epoch %d, want 1", x.epoch())
		}
	})
}

// No worker sends heartbeats here: the call that adds items raises the epoch itself.
func TestEnqueueAfterPromotion(t *testing.T) {
	eachPromoted(t, func(x *promoted) {
		item := []workqueue.NewItem{{State: workqueue.Pending, Priority: 1, IntegrationConfig: "Work"}}
		made, err := x.store.Enqueue(x.Context(), item)
		if err != nil || made[0].ID < x.ids[2]+1_000_000 || x.epoch() != 1 {
			x.Errorf("Enqueue = %+v, %v in epoch %d; want an id a million after %d, in epoch 1", made, err, x.epoch(), x.ids[2])
		}
	})
}

// A connection to the promoted server is not used before the epoch is raised.
func TestNewConnectionAfterPromotion(t *testing.T) {
	eachPromoted(t, func(x *promoted) {
		later, err := sqlstore.Open(x.Context(), sqlstore.Options{Driver: string(database.Postgres), DSN: x.dsn})
		if err != nil {
			x.Fatal(err)
		}
		defer later.Close()
		if x.epoch() != 1 {
			x.Errorf("epoch %d after connecting, want 1", x.epoch())
		}
	})
}

// A login that may not change a sequence raises the epoch anyway, and reports the statements
// that must be executed.
func TestRaiseEpochWithoutPermissionForSequences(t *testing.T) {
	eachPromoted(t, func(x *promoted) {
		role := "botwork_limited_" + fmt.Sprint(time.Now().UnixNano())
		for _, statement := range []string{
			`CREATE ROLE ` + role + ` LOGIN`,
			`GRANT USAGE ON SCHEMA %s TO ` + role,
			`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO ` + role,
		} {
			var schema string
			if err := x.hand.QueryRowContext(x.Context(), `SELECT quote_ident(current_schema())`).Scan(&schema); err != nil {
				x.Fatal(err)
			}
			if strings.Contains(statement, "%s") {
				statement = fmt.Sprintf(statement, schema)
			}
			if _, err := x.hand.ExecContext(x.Context(), statement); err != nil {
				x.Skipf("this login may not create another: %v", err)
			}
		}
		x.Cleanup(func() {
			for _, statement := range []string{"DROP OWNED BY " + role, "DROP ROLE " + role} {
				if _, err := x.hand.Exec(statement); err != nil { //nolint:noctx // the test's context has ended
					x.Log(err)
				}
			}
		})
		limited, err := sqlstore.Open(x.Context(), sqlstore.Options{Driver: string(database.Postgres), DSN: strings.Replace(x.dsn, "postgres@", role+"@", 1)})
		if err != nil {
			x.Fatal(err)
		}
		defer limited.Close()
		if x.epoch() != 1 {
			x.Errorf("epoch %d, want 1", x.epoch())
		}
		change, err := limited.RaiseEpoch(x.Context(), "by hand")
		if err != nil || change.After.Epoch != 2 || len(change.Refused) == 0 || !strings.Contains(change.Refused[0], "setval") {
			x.Errorf("RaiseEpoch = %+v, %v; want epoch 2 and the statements that were refused", change, err)
		}
	})
}

package sqlstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// storeWithout opens a store in which a statement fails.
func storeWithout(t *testing.T, e testdb.Engine, dsn, statement string) *sqlstore.Store {
	t.Helper()
	files := copyStatements(t)
	file := files[folders[e.Driver]+"/queries/"+statement+".sql"]
	if file == nil {
		t.Fatalf("there is no statement %s", statement)
	}
	// The table is missing, so that the statement fails when it is executed.
	broken := strings.NewReplacer("BotAuditLog", "BotNowhere", "BotAuditItems", "BotNowhere", "BotBatches", "BotNowhere").Replace(string(file.Data))
	if broken == string(file.Data) {
		t.Fatalf("the statement %s was not changed", statement)
	}
	file.Data = []byte(broken)
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(e.Driver), DSN: dsn, Statements: files})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// A change and its entry are one transaction: if anything in it fails, neither remains.
func TestChangeAndAuditEntryAreOneTransaction(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		store := e.Open(t, dsn)
		ctx := t.Context()
		id := storetest.NewFactory(t, store).Item(storetest.ItemOpts{}).ID
		for _, c := range []struct {
			without string // audit_add and audit_items fail with the entry, batch_add after it
			change  func(ctx context.Context, s *sqlstore.Store) error
		}{
			{"audit_add", func(ctx context.Context, s *sqlstore.Store) error {
				return storetest.Do(ctx, s, workqueue.Cancel, id, "")
			}},
			{"audit_items", func(ctx context.Context, s *sqlstore.Store) error {
				_, err := s.ChangeItems(ctx, workqueue.ItemFilter{}, workqueue.Change{Action: workqueue.Delete})
				return err
			}},
			{"batch_add", func(ctx context.Context, s *sqlstore.Store) error {
				part := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}
				_, err := s.ChangeItems(ctx, workqueue.ItemFilter{}, workqueue.Change{Action: workqueue.Archive, Batch: part})
				return err
			}},
			{"batch_add", func(ctx context.Context, s *sqlstore.Store) error {
				_, err := s.PurgeQueue(ctx, workqueue.PurgeParams{Queue: workqueue.DefaultQueue, Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}})
				return err
			}},
			{"audit_add", func(ctx context.Context, s *sqlstore.Store) error {
				_, err := s.PauseQueue(ctx, workqueue.DefaultQueue)
				return err
			}},
		} {
			if err := c.change(ctx, storeWithout(t, e, dsn, c.without)); err == nil {
				t.Errorf("without %s: the change succeeded", c.without)
			}
			if it, err := store.Item(ctx, id); err != nil || it.State != workqueue.Ready || it.Version != 1 {
				t.Errorf("without %s: the item has changed: %v, version %d, %v", c.without, it.State, it.Version, err)
			}
			if q, err := store.Queue(ctx, workqueue.DefaultQueue); err != nil || q.Paused {
				t.Errorf("without %s: the queue is paused: %v, %v", c.without, q.Paused, err)
			}
			if entries, err := store.AuditEntries(ctx, workqueue.AuditFilter{}); err != nil || len(entries) != 0 {
				t.Errorf("without %s: the log has %+v, %v, want no entry", c.without, entries, err)
			}
		}
	})
}

// The log holds no text of an encrypted item, neither of updates nor of deletions.
func TestAuditLogHoldsNoEncryptedText(t *testing.T) {
	eachSealed(t, func(x *sealed) {
		id := x.put(nil)
		c := workqueue.Change{Action: workqueue.Update, Update: &workqueue.ItemUpdate{
			Payload: new(workqueue.JSONText(`{"card":"` + secretPayload + `-2"}`)), Metadata: map[string]string{"account": secretMetadata + "-2"},
		}}
		if _, err := x.store.ChangeItem(x.Context(), id, c); err != nil {
			x.Fatal(err)
		}
		if err := storetest.Do(x.Context(), x.store, workqueue.Delete, id, ""); err != nil {
			x.Fatal(err)
		}
		entries, err := x.store.AuditEntries(x.Context(), workqueue.AuditFilter{ItemID: id})
		if err != nil || len(entries) != 2 {
			x.Fatalf("the item has %d entries, %v, want an update and a deletion", len(entries), err)
		}
		update := entries[1]
		for _, text := range []workqueue.JSONText{update.Before, update.After} {
			if n := strings.Count(string(text), `"encrypted":true`); n != 2 {
				x.Errorf("%s: %d values are marked as encrypted, want the payload and the metadata", text, n)
			}
		}
		var texts int
		rows, err := x.hand.QueryContext(x.Context(), `SELECT "Before", "After" FROM "BotAuditItems" WHERE "Before" IS NOT NULL`)
		if err != nil {
			x.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var before string
			var after *string
			if err := rows.Scan(&before, &after); err != nil {
				x.Fatal(err)
			}
			if after != nil {
				before += *after
			}
			for _, secret := range []string{secretPayload, secretMetadata, workqueue.SealedPrefix} {
				if strings.Contains(before, secret) {
					x.Errorf("the log holds %q: %s", secret, before)
				}
			}
			texts++
		}
		if err := rows.Err(); err != nil || texts == 0 {
			x.Errorf("read %d rows, %v", texts, err)
		}
	})
}

// Labels are recorded if they differ; draining is if a user asked for it.
func TestAuditOfWorkers(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		store := e.Open(t, e.DSN(t))
		ctx := workqueue.WithActor(t.Context(), workqueue.Actor{Name: "worker-1", Via: workqueue.ViaWorker, Host: "host-1"})
		w, err := store.RegisterWorker(ctx, workqueue.WorkerSpec{Name: "worker-1", InstanceID: "a", Capacity: 1, Lease: time.Hour, Labels: `{"gpu":true}`})
		if err != nil {
			t.Fatal(err)
		}
		for _, labels := range []workqueue.JSONText{`{"gpu":true}`, `{"gpu":false}`, `{"gpu":false}`} {
			if err := store.LabelWorker(ctx, w.ID, "a", labels); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.LabelWorker(ctx, w.ID, "b", ""); !errors.Is(err, workqueue.ErrWorkerReplaced) {
			t.Errorf("LabelWorker of another instance = %v", err)
		}
		if err := store.DrainWorker(ctx, "worker-1", "a"); err != nil { // it stops
			t.Fatal(err)
		}
		entries, err := store.AuditEntries(ctx, workqueue.AuditFilter{})
		if err != nil || len(entries) != 1 {
			t.Fatalf("the log has %+v, %v, want one entry about the labels", entries, err)
		}
		if got := entries[0]; got.Action != workqueue.AuditWorkersLabel || got.Target != "worker-1" || got.By() != "worker-1 (worker)" || got.Host != "host-1" ||
			got.Before != `{"labels":{"gpu":true}}` || got.After != `{"labels":{"gpu":false}}` {
			t.Errorf("the entry is %+v", got)
		}
	})
}

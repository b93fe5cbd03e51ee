package sqlstore_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// What another process commits to a SQLite file is noticed without a look at any table,
// and what this one commits is no notice of others.
func TestSQLiteNoticesWhatOthersCommit(t *testing.T) {
	dsn := filepath.Join(t.TempDir(), "botwork.db")
	open := func() *sqlstore.Store {
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: database.SQLite, DSN: dsn})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Errorf("close store: %v", err)
			}
		})
		return store
	}
	here, other := open(), open()
	if _, err := here.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	enqueue := func(store *sqlstore.Store, priority int) {
		item := workqueue.NewItem{IntegrationConfig: "work", Priority: priority}
		if _, err := store.Enqueue(t.Context(), []workqueue.NewItem{item}); err != nil {
			t.Error(err)
		}
	}
	others, own := make(chan workqueue.Notice, 1000), make(chan workqueue.Notice, 1000)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- here.Listen(ctx, func(n workqueue.Notice) {
			if n.Others {
				others <- n
			} else {
				own <- n
			}
		}, func(err error) { t.Errorf("trouble: %v", err) })
	}()
	for heard := false; !heard; { // until it listens
		enqueue(other, 700)
		select {
		case n := <-others:
			heard = true
			if !n.Band.Contains(700) {
				t.Errorf("heard of priorities %v, want them to hold 700", n.Band)
			}
		case <-time.After(50 * time.Millisecond):
		}
	}
	time.Sleep(time.Second) // what the loop enqueued last is noticed
	for len(others) > 0 {
		<-others
	}
	enqueue(here, 800)
	<-own
	select {
	case n := <-others:
		t.Errorf("its own commit is noticed as one of others: %v", n)
	case <-time.After(time.Second):
	}
	enqueue(other, 900)
	select {
	case <-others:
	case <-time.After(30 * time.Second):
		t.Error("what another store enqueued was not noticed")
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("Listen = %v when its context ended, want nil", err)
	}
}

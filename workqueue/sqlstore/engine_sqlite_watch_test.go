package sqlstore_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// A commit of another process to a SQLite file is noticed without reading a table. A commit of
// this process is not reported as one of others.
func TestSQLiteNoticesCommitsOfOthers(t *testing.T) {
	synctest.Test(t, noticesCommitsOfOthers) // it waits for two seconds
}

func noticesCommitsOfOthers(t *testing.T) {
	dsn := filepath.Join(t.TempDir(), "botwork.db")
	open := func() *sqlstore.Store {
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: dsn})
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
	others, local := make(chan workqueue.Notice, 1000), make(chan workqueue.Notice, 1000)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- here.Listen(ctx, func(n workqueue.Notice) {
			if n.Others {
				others <- n
			} else {
				local <- n
			}
		}, func(err error) { t.Errorf("trouble: %v", err) })
	}()
	for received := false; !received; { // until it listens
		enqueue(other, 700)
		select {
		case n := <-others:
			received = true
			if !n.Band.Contains(700) {
				t.Errorf("notice of priorities %v, want them to include 700", n.Band)
			}
		case <-time.After(50 * time.Millisecond):
		}
	}
	time.Sleep(time.Second) // the last commit of the loop is noticed
	for len(others) > 0 {
		<-others
	}
	enqueue(here, 800)
	<-local
	select {
	case n := <-others:
		t.Errorf("a commit of this process is reported as one of others: %v", n)
	case <-time.After(time.Second):
	}
	enqueue(other, 900)
	select {
	case <-others:
	case <-time.After(30 * time.Second):
		t.Error("the commit of another store was not noticed")
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("Listen = %v when its context ended, want nil", err)
	}
}

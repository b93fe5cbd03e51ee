package sqlstore_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// Each statement is observed, whether package sql or gorm has made it.
func TestObserve(t *testing.T) {
	var mu sync.Mutex
	var names []string
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{
		Driver: "sqlite", DSN: filepath.Join(t.TempDir(), "botwork.db"), Observe: func(name string, took time.Duration, err error) {
			mu.Lock()
			defer mu.Unlock()
			if names = append(names, name); took < 0 || err != nil {
				t.Errorf("%s took %s, %v", name, took, err)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for want, call := range map[string]func() error{
		"select_bot_queues select_bot_queue_robots": func() error { _, err := store.Queues(t.Context()); return err },
		"select_bot_workers":                        func() error { _, err := store.Workers(t.Context()); return err },
		"select_bot_pipeline_runs":                  func() error { _, err := store.Runs(t.Context(), workqueue.RunFilter{}); return err },
		"select_bot_work_queue_items":               func() error { _, err := store.Items(t.Context(), workqueue.ItemFilter{}); return err },
		"now":                                       func() error { _, err := store.Now(t.Context()); return err },
		"state_marks":                               func() error { _, err := store.Marks(t.Context(), 1); return err },
		"select_bot_queues now stat_read stat_unfinished": func() error { _, err := store.Statistics(t.Context(), ""); return err },
		"series_read": func() error {
			_, err := store.Series(t.Context(), workqueue.SeriesParams{By: workqueue.ByMinute, From: time.Now(), Until: time.Now(), CountsOnly: true})
			return err
		},
	} {
		names = nil
		if err := call(); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("observed the statements %q, want %q", got, want)
		}
	}
}

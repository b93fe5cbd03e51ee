package sqlstore

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

// A transaction waits while another process holds SQLite's lock, for as long as the DSN allows,
// although SQLite itself waits only briefly in each try.
func TestTransactionsWaitForTheLock(t *testing.T) {
	for name, test := range map[string]struct {
		setting string
		fails   bool
	}{
		"default timeout": {"", false},
		"short timeout":   {"?_pragma=busy_timeout(60)", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // SQLite waits in real time
			path := filepath.Join(t.TempDir(), "botwork.db")
			s, err := Open(t.Context(), Options{Driver: string(database.SQLite), DSN: "file:" + path + test.setting})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			other, err := database.Open(database.SQLite, path)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			lock := &s.engine.(*sqliteEngine).lock
			before := lock.timeout
			for range 2 { // in the second round the store knows about the contention
				tx, err := other.BeginTx(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				var released atomic.Bool
				release := func() { released.Store(true); _ = tx.Rollback() }
				if !test.fails {
					time.AfterFunc(3*lockWait, release)
				}
				_, err = s.Enqueue(ctx, []workqueue.NewItem{{IntegrationConfig: "Work"}})
				cancel()
				if (err != nil) != test.fails {
					t.Errorf("Enqueue: %v, want an error: %t", err, test.fails)
				}
				if err == nil && !released.Load() {
					t.Error("Enqueue wrote while another process held the lock")
				}
				if test.fails {
					release()
				}
			}
			if err := lock.readTimeout(t.Context(), s.db); err != nil || lock.timeout != before {
				t.Errorf("the busy timeout is %s, %v, want %s as before", lock.timeout, err, before)
			}
			if lock.contended.Load() == 0 {
				t.Error("the store has not noticed the contention")
			}
		})
	}
}

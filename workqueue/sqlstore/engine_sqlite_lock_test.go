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

// While another process has SQLite's lock a transaction waits for it, however long the
// engine waits by itself, and no longer than the DSN allows.
func TestTransactionsWaitForTheLock(t *testing.T) {
	for name, test := range map[string]struct {
		setting string
		fails   bool
	}{
		"as by default":  {"", false},
		"for too little": {"?_pragma=busy_timeout(60)", true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "botwork.db")
			s, err := Open(t.Context(), Options{Driver: database.SQLite, DSN: "file:" + path + test.setting})
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
			for range 2 { // the second time the store knows that others write
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
					t.Error("Enqueue wrote while another had the lock")
				}
				if test.fails {
					release()
				}
			}
			if err := lock.readTimeout(t.Context(), s.db); err != nil || lock.timeout != before {
				t.Errorf("the connection waits for %s, %v, want %s as before", lock.timeout, err, before)
			}
			if lock.contended.Load() == 0 {
				t.Error("the store has not seen that others write")
			}
		})
	}
}

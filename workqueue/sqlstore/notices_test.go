package sqlstore_test

import (
	"context"
	"database/sql"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

const noticePatience = 30 * time.Second

// onPostgres runs a test on PostgreSQL, the engine that has notices.
func onPostgres(t *testing.T, test func(t *testing.T, e testdb.Engine, dsn string)) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver != database.Postgres {
			t.Skip("only PostgreSQL has notices")
		}
		t.Parallel()
		test(t, e, e.DSN(t))
	})
}

// receiver is a listener of a store.
type receiver struct {
	*testing.T
	notices chan workqueue.Notice
	trouble chan error
}

// workerOf registers a worker of a store's process.
func workerOf(t *testing.T, s *sqlstore.Store, name string) workqueue.Worker {
	t.Helper()
	w, err := s.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: name, InstanceID: name, Host: "host", PID: 1, Capacity: 1, Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// listenTo listens until the test ends. It registers a worker, because processes without
// workers get no notices about waiting items.
func listenTo(t *testing.T, s *sqlstore.Store) *receiver {
	t.Helper()
	workerOf(t, s, "listens")
	h := &receiver{t, make(chan workqueue.Notice, 10_000), make(chan error, 100)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- s.Listen(ctx, func(n workqueue.Notice) { h.notices <- n }, func(err error) { h.trouble <- err })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Listen = %v, want nil", err)
		}
	})
	return h
}

// await repeats do until a notice of another process about a priority arrives: at first no
// process may listen.
func (h *receiver) await(what string, priority int, do func()) workqueue.Notice {
	h.Helper()
	late := time.After(noticePatience)
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		do()
	waiting:
		for {
			select {
			case n := <-h.notices:
				if n.Others && n.Band.Contains(priority) {
					return n
				}
			case err := <-h.trouble:
				h.Logf("trouble: %v", err)
			case <-again.C:
				break waiting
			case <-late:
				h.Fatalf("%s: no notice of priority %d in %v", what, priority, noticePatience)
			}
		}
	}
}

func enqueueAt(t *testing.T, s *sqlstore.Store, priority int) {
	t.Helper()
	if _, err := s.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "Work", Priority: priority}}); err != nil {
		t.Fatal(err)
	}
}

func TestNoticesReachOtherProcesses(t *testing.T) {
	onPostgres(t, func(t *testing.T, e testdb.Engine, dsn string) {
		here, there := e.Open(t, dsn), e.Open(t, dsn)
		h := listenTo(t, here)
		// What was enqueued before the process listened has no notice: it looks for that at once.
		if n := h.await("listening", 7, func() {}); n.Band != workqueue.EveryPriority {
			t.Errorf("at first got %+v, want every priority", n)
		}
		n := h.await("enqueued", 7, func() { enqueueAt(t, there, 7) })
		if n.Band != (workqueue.Band{Min: 7, Max: 7}) || len(n.Workers) > 0 {
			t.Errorf("got %+v, want priority 7 and no workers", n)
		}

		// When a pass assigns an item to the worker of another process, that process gets a
		// notice.
		factory := storetest.NewFactory(t, here)
		w := factory.Worker(storetest.WorkerOpts{})
		n = h.await("assigned", 8, func() {
			it := factory.Item(storetest.ItemOpts{Priority: 8})
			err := there.Assign(t.Context(), func(ctx context.Context, tx workqueue.AssignTx) error {
				_, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: it.ID, WorkerID: w.ID}})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
		if !slices.Equal(n.Workers, []int64{w.ID}) {
			t.Errorf("got %+v, want worker %d", n, w.ID)
		}

		// An item that a worker gives back before it begins may start in another process.
		n = h.await("given back", 9, func() {
			it := factory.Item(storetest.ItemOpts{Priority: 9, State: workqueue.Blocked, Worker: w})
			lost, err := there.Finish(t.Context(), w.ID, w.InstanceID, []workqueue.Finish{{ItemID: it.ID, Fence: it.Fence, State: workqueue.Ready}})
			if err != nil || len(lost) > 0 {
				t.Fatalf("Finish = %v, %v; want no lost item", lost, err)
			}
		})
		if !n.Soon {
			t.Errorf("got %+v, want one of items that may be due", n)
		}
	})
}

// A command that enqueues and ends at once also sends its notice.
func TestCloseSendsPendingNotices(t *testing.T) {
	onPostgres(t, func(t *testing.T, e testdb.Engine, dsn string) {
		h := listenTo(t, e.Open(t, dsn))
		h.await("enqueued", 3, func() {
			short, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(e.Driver), DSN: dsn})
			if err != nil {
				t.Fatal(err)
			}
			enqueueAt(t, short, 3)
			if err := short.Close(); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func TestListenerReconnects(t *testing.T) {
	onPostgres(t, func(t *testing.T, e testdb.Engine, dsn string) {
		const application = "botwork_test_listener"
		sep := " "
		if strings.Contains(dsn, "://") {
			sep = "&"
		}
		here, there := e.Open(t, dsn+sep+"application_name="+application), e.Open(t, dsn)
		h := listenTo(t, here)
		h.await("at first", 7, func() { enqueueAt(t, there, 7) })
		byHand := e.SQL(t, dsn)
		var n sql.NullInt64
		err := byHand.QueryRowContext(t.Context(), `SELECT COUNT(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
			WHERE application_name = $1 AND query LIKE 'LISTEN%'`, application).Scan(&n)
		if err != nil || n.Int64 != 1 {
			t.Fatalf("%d sessions were ended (%v), want the one that listens", n.Int64, err)
		}
		select {
		case err := <-h.trouble:
			if err == nil {
				t.Error("got no error, want the reason")
			}
		case <-time.After(noticePatience):
			t.Fatal("the lost connection was not reported")
		}
		select {
		case err := <-h.trouble:
			if err != nil {
				t.Errorf("reported %v, want nil when the listener has reconnected", err)
			}
		case <-time.After(noticePatience):
			t.Error("the reconnection was not reported")
		}
		h.await("after that", 9, func() { enqueueAt(t, there, 9) })
	})
}

// A process with the only workers sends no notices to other processes.
func TestNoNoticeWithoutOtherWorkers(t *testing.T) {
	onPostgres(t, func(t *testing.T, e testdb.Engine, dsn string) {
		here, there := e.Open(t, dsn), e.Open(t, dsn)
		if err := here.RecordListening(t.Context()); err != nil {
			t.Fatal(err)
		}
		sends := func(what string, s *sqlstore.Store, n workqueue.Notice, want bool) {
			t.Helper()
			if got, err := s.SendNotice(n); got != want || err != nil {
				t.Errorf("%s: sent %t, %v, want %t", what, got, err, want)
			}
		}
		items := workqueue.Notice{Band: workqueue.EveryPriority}
		sends("no worker at all", there, items, false)
		w := workerOf(t, here, "here")
		sends("only a local worker", here, items, false)
		sends("a worker of another process", there, items, true)
		sends("an assigned item", here, workqueue.Notice{Band: workqueue.EveryPriority, Workers: []int64{w.ID}}, true)
		workerOf(t, there, "there")
		sends("workers of both processes", here, items, true)
	})
}

// Thousands of enqueues cause few notices, and none if no process listens.
func TestNoticesAreLimited(t *testing.T) {
	onPostgres(t, func(t *testing.T, e testdb.Engine, dsn string) {
		here, there := e.Open(t, dsn), e.Open(t, dsn)
		enqueueAt(t, there, 1)
		h := listenTo(t, here)
		h.await("at first", 2, func() { enqueueAt(t, there, 2) })
		began := time.Now()
		for range 1500 {
			enqueueAt(t, there, 5)
		}
		took := time.Since(began)
		h.await("the last one", 6, func() { enqueueAt(t, there, 6) })
		received := len(h.notices) + 1
		if most := sqlstore.NoticeBurst + int(took.Seconds()+1)*sqlstore.NoticeRate; received > most {
			t.Errorf("got %d notices of 1,500 enqueues in %v, want at most %d", received, took, most)
		}
	})
}

// Some poolers do not deliver notices. That is reported once, and the listener polls.
func TestListenWithoutNotices(t *testing.T) {
	onPostgres(t, func(t *testing.T, e testdb.Engine, dsn string) {
		s := e.Open(t, dsn)
		s.ListenBy(os.Getenv("BOTWORK_TEST_POSTGRES_DSN")) // of another schema, or database
		h := listenTo(t, s)
		select {
		case err := <-h.trouble:
			if err == nil || !strings.Contains(err.Error(), "PgBouncer") {
				t.Errorf("reported %v, want the possible cause", err)
			}
		case <-time.After(noticePatience):
			t.Fatal("the missing notices were not reported")
		}
	})
}

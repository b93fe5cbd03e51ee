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

// onPostgres gives a test a database of the engine that carries notices.
func onPostgres(t *testing.T, test func(t *testing.T, e testdb.Engine, dsn string)) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver != database.Postgres {
			t.Skip("only PostgreSQL carries notices")
		}
		t.Parallel()
		test(t, e, e.DSN(t))
	})
}

// ears are a listener of a store.
type ears struct {
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

// listenTo listens until the test ends, for a worker: where there is none, nobody is
// told of what waits.
func listenTo(t *testing.T, s *sqlstore.Store) *ears {
	t.Helper()
	workerOf(t, s, "listens")
	h := &ears{t, make(chan workqueue.Notice, 10_000), make(chan error, 100)}
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

// await waits until another process tells of a priority, as do has it do again and
// again: at first nobody may be listening.
func (h *ears) await(what string, priority int, do func()) workqueue.Notice {
	h.Helper()
	late := time.After(noticePatience)
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		do()
	heard:
		for {
			select {
			case n := <-h.notices:
				if n.Others && n.Band.Contains(priority) {
					return n
				}
			case err := <-h.trouble:
				h.Logf("trouble: %v", err)
			case <-again.C:
				break heard
			case <-late:
				h.Fatalf("%s: nothing was heard of priority %d for %v", what, priority, noticePatience)
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

func TestOthersHear(t *testing.T) {
	onPostgres(t, func(t *testing.T, e testdb.Engine, dsn string) {
		here, there := e.Open(t, dsn), e.Open(t, dsn)
		h := listenTo(t, here)
		n := h.await("enqueued", 7, func() { enqueueAt(t, there, 7) })
		if n.Band != (workqueue.Band{Min: 7, Max: 7}) || len(n.Workers) > 0 {
			t.Errorf("heard %+v, want priority 7 and no workers", n)
		}

		// What a pass gives to the worker of another process, that one is told.
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
			t.Errorf("heard %+v, want worker %d", n, w.ID)
		}
	})
}

// A command that enqueues and ends is heard all the same.
func TestCloseSendsWhatIsLeft(t *testing.T) {
	onPostgres(t, func(t *testing.T, e testdb.Engine, dsn string) {
		h := listenTo(t, e.Open(t, dsn))
		h.await("enqueued", 3, func() {
			short, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: e.Driver, DSN: dsn})
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

func TestAListenerComesBack(t *testing.T) {
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
				t.Error("no reason was given")
			}
		case <-time.After(noticePatience):
			t.Fatal("nobody was told that the connection is lost")
		}
		select {
		case err := <-h.trouble:
			if err != nil {
				t.Errorf("told of %v, want that notices come again", err)
			}
		case <-time.After(noticePatience):
			t.Error("nobody was told that notices come again")
		}
		h.await("after that", 9, func() { enqueueAt(t, there, 9) })
	})
}

// A process whose workers are the only ones has nobody to tell but them.
func TestNobodyIsToldWhereThereIsNoOtherWorker(t *testing.T) {
	onPostgres(t, func(t *testing.T, e testdb.Engine, dsn string) {
		here, there := e.Open(t, dsn), e.Open(t, dsn)
		if err := here.NoteListening(t.Context()); err != nil {
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
		sends("the own worker", here, items, false)
		sends("another's worker", there, items, true)
		sends("what it is given", here, workqueue.Notice{Band: workqueue.EveryPriority, Workers: []int64{w.ID}}, true)
		workerOf(t, there, "there")
		sends("the own and another's worker", here, items, true)
	})
}

// Thousands of enqueues are few notices, and none where nobody listens.
func TestNoticesAreFew(t *testing.T) {
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
		heard := len(h.notices) + 1
		if most := sqlstore.NoticeBurst + int(took.Seconds()+1)*sqlstore.NoticeRate; heard > most {
			t.Errorf("heard %d notices of 1,500 enqueues in %v, want at most %d", heard, took, most)
		}
	})
}

// Behind some poolers nothing is heard: that is said once, and who listens looks.
func TestAConnectionThatCarriesNoNotices(t *testing.T) {
	onPostgres(t, func(t *testing.T, e testdb.Engine, dsn string) {
		s := e.Open(t, dsn)
		s.ListenBy(os.Getenv("BOTWORK_TEST_POSTGRES_DSN")) // of another schema, or database
		h := listenTo(t, s)
		select {
		case err := <-h.trouble:
			if err == nil || !strings.Contains(err.Error(), "PgBouncer") {
				t.Errorf("told of %v, want what may be the cause", err)
			}
		case <-time.After(noticePatience):
			t.Fatal("nobody was told that no notices come")
		}
	})
}

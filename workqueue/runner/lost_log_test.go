package runner_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// lockedBuffer is a buffer for the log of several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// The log of a worker says who cancelled a running item, and why, once.
func TestLogSaysWhoCancelledARun(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var log lockedBuffer
		_, ids, _ := busy(t, store, 2, reportUntilCancelled, func(o *runner.Options) { o.Log = zerolog.New(&log) })
		time.Sleep(5 * time.Second)
		ctx := workqueue.WithActor(t.Context(), workqueue.Actor{Name: "ann", Via: workqueue.ViaCLI, Host: "desk", Reason: "wrong file"})
		if r, err := store.ChangeItems(ctx, workqueue.ItemFilter{IDs: ids[1:]}, workqueue.Change{Action: workqueue.Cancel}); err != nil || r.Changed != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		time.Sleep(time.Minute)
		const want = "item cancelled; stopping its run"
		lines := log.String()
		if n := strings.Count(lines, want); n != 1 || !strings.Contains(lines, `"by":"ann (cli)","host":"desk","reason":"wrong file"`) {
			t.Errorf("%d lines say %q, want one with ann and her reason:\n%s", n, want, lines)
		}
	})
}

// The log of an item says who cancelled its run, also after a logical deletion. To delete items and
// to purge a queue leaves a run and its log alone.
func TestItemLogSaysWhoEndedItsRun(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{{Name: workqueue.DefaultQueue, QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}}}, "test"); err != nil {
			t.Fatal(err)
		}
		_, ids, _ := busy(t, store, 2, reportUntilCancelled, nil)
		id := ids[1]
		time.Sleep(5 * time.Second)
		ctx := workqueue.WithActor(t.Context(), workqueue.Actor{Name: "ann", Via: workqueue.ViaCLI, Host: "desk", Reason: "wrong file"})
		change := func(a workqueue.Action) int {
			r, err := store.ChangeItems(ctx, workqueue.ItemFilter{IDs: []int64{id}}, workqueue.Change{Action: a})
			if err != nil {
				t.Fatal(err)
			}
			return r.Changed
		}
		log := func() string {
			it, err := store.Item(t.Context(), id)
			if err != nil || it.LogTail == nil {
				t.Fatalf("item %+v, error %v, want one with a log", it, err)
			}
			return *it.LogTail
		}
		deleted := change(workqueue.Delete)
		purged, err := store.PurgeQueue(ctx, workqueue.PurgeParams{Queue: workqueue.DefaultQueue, BeforeID: id + 1})
		if err != nil {
			t.Fatal(err)
		}
		before := log()
		if deleted != 0 || purged.Removed != 1 || !strings.HasSuffix(before, "read row=11\n") {
			t.Errorf("while it runs: %d deleted, %d purged, log %q", deleted, purged.Removed, before)
		}
		const line = ` INF item cancelled by="ann (cli)" host=desk reason="wrong file"` + "\n"
		want := func(when, log string) {
			if added, ok := strings.CutPrefix(log, before); !ok || !strings.HasSuffix(added, line) || strings.Count(added, "\n") != 1 {
				t.Errorf("%s: the log is %q, want %q and a line that ends with %q", when, log, before, line)
			}
		}
		if n := change(workqueue.Cancel); n != 1 {
			t.Fatalf("%d cancelled", n)
		}
		time.Sleep(time.Minute) // the run stops, and its worker writes no more
		want("cancelled", log())
		attempts, err := store.Attempts(t.Context(), id)
		if err != nil || len(attempts) != 1 || attempts[0].LogTail == nil {
			t.Fatalf("attempts %+v, error %v", attempts, err)
		}
		want("its attempt", *attempts[0].LogTail)
		if n := change(workqueue.Delete); n != 1 {
			t.Fatalf("%d deleted", n)
		}
		want("deleted", log())
	})
}

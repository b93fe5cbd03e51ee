package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botwork/cmd/internal/batch"
	"botwork/cmd/internal/cli"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

var errLost = errors.New("unexpected EOF")

// lossyStore loses the answers to some calls, which are carried out all the same.
type lossyStore struct {
	storetest.Store
	lose  func(call int) (carriedOut, lost bool)
	calls int
}

func (s *lossyStore) answer(part workqueue.BatchPart, do func() error) error {
	s.calls++
	carriedOut, lost := s.lose(s.calls)
	if !lost {
		return do()
	}
	if carriedOut {
		if err := do(); err != nil {
			return err
		}
	}
	return &workqueue.UnansweredError{BatchPart: part, Err: errLost}
}

func (s *lossyStore) EnqueueBatch(ctx context.Context, part workqueue.BatchPart, items []workqueue.NewItem) (got []workqueue.Enqueued, err error) {
	return got, s.answer(part, func() (err error) { got, err = s.Store.EnqueueBatch(ctx, part, items); return err })
}

func (s *lossyStore) ChangeItems(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change) (got workqueue.ChangeResult, err error) {
	return got, s.answer(c.Batch, func() (err error) { got, err = s.Store.ChangeItems(ctx, f, c); return err })
}

func (s *lossyStore) PurgeQueue(ctx context.Context, p workqueue.PurgeParams) (got workqueue.PurgeResult, err error) {
	return got, s.answer(p.Batch, func() (err error) { got, err = s.Store.PurgeQueue(ctx, p); return err })
}

// numbered are count items, one in each line.
func numbered(count int) itemSource {
	line := 0
	return itemSource{count, func() (workqueue.NewItem, int, error) {
		if line == count {
			return workqueue.NewItem{}, 0, io.EOF
		}
		line++
		return workqueue.NewItem{IntegrationConfig: "hello", Priority: line}, line, nil
	}}
}

func TestEnqueueFindsOutWhatBecameOfABatch(t *testing.T) {
	for name, carriedOut := range map[string]bool{"which was written": true, "which was not": false} {
		t.Run(name, func(t *testing.T) {
			inProject(t)
			mustDo(t, "db", "migrate")
			store := &lossyStore{Store: openQueue(t), lose: func(call int) (bool, bool) { return carriedOut, call == 2 }}
			var stderr bytes.Buffer
			run := enqueueRun{app: &app{App: &cli.App{Streams: cli.Streams{Stderr: &stderr}}}, store: store, key: workqueue.NewBatchKey(), source: numbered(2500)}
			if err := run.all(t.Context(), func(int) {}); err != nil || run.done.count != 2500 || run.done.made() != 2500 {
				t.Errorf("%d items are said to be in the queue, %v; want 2500", run.done.count, err)
			}
			if n := rowsThere(t); n != 2500 {
				t.Errorf("%d items are in the queue, want 2500", n)
			}
			if want := "looking up what became of batch " + run.key; !strings.Contains(stderr.String(), want) {
				t.Errorf("standard error = %q, want it to hold %q", stderr.String(), want)
			}
		})
	}
}

// silentStore answers the first calls, and then none.
type silentStore struct {
	storetest.Store
	answered, calls int
	err             error
}

func (s *silentStore) EnqueueBatch(_ context.Context, part workqueue.BatchPart, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	if s.calls++; s.calls <= s.answered {
		return make([]workqueue.Enqueued, len(items)), nil
	}
	if s.calls > s.answered+1 && s.err == nil {
		return nil, errors.New("connection refused")
	}
	if s.err != nil {
		return nil, s.err
	}
	return nil, &workqueue.UnansweredError{BatchPart: part, Err: errLost}
}

func TestEnqueueSaysThatItDoesNotKnow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		run := enqueueRun{app: &app{App: &cli.App{Streams: cli.Streams{Stderr: io.Discard}}}, store: &silentStore{answered: 1}, key: "the-key-of-it", source: numbered(3000)}
		err := run.all(t.Context(), func(int) {})
		for _, want := range []string{
			"at least 1000 of 3000 items are in the queue; whether the next 1000 (lines 1001 to 2000) are is unknown", "unexpected EOF",
			"`botwork items batch the-key-of-it`", "the same command and input with --batch the-key-of-it",
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want it to say %q", err, want)
			}
		}
		if took := time.Since(began); took != batch.SettleFor {
			t.Errorf("it looked for %v, want %v", took, batch.SettleFor)
		}
	})
}

func TestEnqueueSaysWhereToContinue(t *testing.T) {
	run := enqueueRun{app: &app{App: &cli.App{Streams: cli.Streams{Stderr: io.Discard}}}, store: &silentStore{answered: 2, err: errors.New("connection refused")}, key: "the-key-of-it", source: numbered(3000)}
	err := run.all(t.Context(), func(int) {})
	const want = "2000 of 3000 items are in the queue, the rest is not: connection refused; continue from line 2001, " +
		"or give the same command and input with --batch the-key-of-it: what is in the queue is not enqueued twice"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// An interrupt comes while a batch is unanswered: one more look, and no false statement.
func TestEnqueueInterruptedWhileItLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		store := &silentStore{answered: 1}
		run := enqueueRun{app: &app{App: &cli.App{Streams: cli.Streams{Stderr: io.Discard}}}, store: store, key: "the-key-of-it", source: numbered(3000)}
		time.AfterFunc(time.Second, interrupt)
		began := time.Now()
		err := run.all(ctx, func(int) {})
		if took := time.Since(began); took != time.Second+batch.Grace {
			t.Errorf("it ended after %v", took)
		}
		if err == nil || !strings.Contains(err.Error(), "is unknown") {
			t.Errorf("got %v, want it to say that the outcome is unknown", err)
		}
	})
}

func TestEnqueueWithTheSameBatchEnqueuesNothingTwice(t *testing.T) {
	inProject(t)
	var lines strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&lines, `{"pipeline": "hello", "payload": {"name": "n%d"}}`+"\n", i)
	}
	for i := range 3 {
		r := botworkWith(t, lines.String(), nil, "enqueue", "-", "--batch", "import-2026")
		want := "2500 items enqueued: ids 1 to 2500\n"
		if i > 0 {
			want = "2500 items enqueued: ids 1 to 2500; 2500 of them before, by an earlier command with this batch key\n"
		}
		if r.code != cli.ExitDone || !strings.HasPrefix(r.stdout, want) {
			t.Errorf("exit code %d, output %q, want it to begin with %q; %s", r.code, r.stdout, want, r.stderr)
		}
	}
	for range 2 {
		mustDo(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "one"}`, "--batch", "one-item")
		mustDo(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "many"}`, "--batch", "many-items", "--count", "3")
	}
	if n := rowsThere(t); n != 2504 {
		t.Errorf("%d items are in the queue, want 2504", n)
	}
	if got, want := mustDo(t, "items", "batch", "import-2026"), "batch import-2026: 2500 items in the queue, in 3 parts; new ids 1 to 2500; "; !strings.HasPrefix(got, want) {
		t.Errorf("items batch = %q, want it to begin with %q", got, want)
	}
	if got := mustDo(t, "items", "batch", "unknown-key"); !strings.Contains(got, "nothing is recorded") {
		t.Errorf("items batch of an unknown key = %q", got)
	}
	r := botworkWith(t, `{"pipeline": "hello", "payload": {"name": "other"}}`, nil, "enqueue", "-", "--batch", "import-2026")
	r.wantFailure(t, cli.ExitFailed, "was made before of other input")
	botwork(t, "enqueue", "--pipeline", "hello", "--batch", "a b").wantFailure(t, cli.ExitUsage, "--batch: ")
}

// What a bulk command says is what was done, although answers were lost.
func TestBulkCommandsCountWhatWasDone(t *testing.T) {
	for _, action := range []workqueue.Action{workqueue.Cancel, workqueue.Clone, workqueue.Delete} {
		for name, carriedOut := range map[string]bool{"carried out": true, "not carried out": false} {
			t.Run(string(action)+" "+name, func(t *testing.T) {
				inProject(t)
				mustDo(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "x"}`, "--count", "600")
				store := &lossyStore{Store: openQueue(t), lose: func(call int) (bool, bool) { return carriedOut, call == 1 }}
				r := changeManyOf(t.Context(), store, action)
				if want := "600 items " + changeTexts[action].done + "\n"; r.code != cli.ExitDone || !strings.HasSuffix(r.stdout, want) {
					t.Errorf("exit code %d, output ends with %.80q, want %q; %s", r.code, r.stdout[max(0, len(r.stdout)-80):], want, r.stderr)
				}
				want := map[workqueue.Action]int{workqueue.Cancel: 600, workqueue.Clone: 1200, workqueue.Delete: 0}[action]
				if n := rowsThere(t); n != want {
					t.Errorf("%d items are there, want %d", n, want)
				}
				if n := strings.Count(r.stdout, "new item "); action == workqueue.Clone && n != 600 {
					t.Errorf("it named %d new items, want 600", n)
				}
			})
		}
	}
}

func TestPurgeCountsWhatWasRemoved(t *testing.T) {
	inProject(t)
	mustDo(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "x"}`, "--count", "600")
	store := &lossyStore{Store: openQueue(t), lose: func(call int) (bool, bool) { return true, call == 1 }}
	a := &app{App: &cli.App{Streams: cli.Streams{Stderr: io.Discard}}}
	p := workqueue.PurgeParams{Queue: workqueue.DefaultQueue, Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey()}}
	if n, err := a.purgePages(t.Context(), t.Context(), store, p, func(int) {}); err != nil || n != 600 {
		t.Errorf("purgePages = %d, %v; want 600", n, err)
	}
}

// rowsThere counts the items of the project's database.
func rowsThere(t *testing.T) int {
	t.Helper()
	return len(decode[[]struct{ ID int64 }](t, mustDo(t, "items", "list", "--limit", "10000", "-o", "json")))
}

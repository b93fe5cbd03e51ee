package enqueue_test

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

	"botwork/cmd/enqueue"
	"botwork/cmd/internal/batch"
	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/cmd/internal/projectdir"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// numbered returns count items, one for each line.
func numbered(count int) enqueue.Source {
	line := 0
	return enqueue.NewSource(count, func() (workqueue.NewItem, int, error) {
		if line == count {
			return workqueue.NewItem{}, 0, io.EOF
		}
		line++
		return workqueue.NewItem{IntegrationConfig: "hello", Priority: line}, line, nil
	})
}

func TestEnqueueFindsOutWhatBecameOfABatch(t *testing.T) {
	for name, carriedOut := range map[string]bool{"which was written": true, "which was not": false} {
		t.Run(name, func(t *testing.T) {
			clitest.InProject(t)
			clitest.Must(t, "db", "migrate")
			store := &clitest.LossyStore{Store: clitest.OpenQueue(t), Lose: func(call int) (bool, bool) { return carriedOut, call == 2 }}
			var stderr bytes.Buffer
			key := workqueue.NewBatchKey()
			run := enqueue.NewRun(&projectdir.App{App: &cli.App{Streams: cli.Streams{Stderr: &stderr}}}, store, key, numbered(2500))
			if count, made, err := run.All(t.Context()); err != nil || count != 2500 || made != 2500 {
				t.Errorf("%d items are reported to be in the queue, %v; want 2500", count, err)
			}
			if n := clitest.Rows(t); n != 2500 {
				t.Errorf("%d items are in the queue, want 2500", n)
			}
			if want := "looking up what became of batch " + key; !strings.Contains(stderr.String(), want) {
				t.Errorf("standard error = %q, want it to hold %q", stderr.String(), want)
			}
		})
	}
}

// silentStore answers only the first calls.
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
	return nil, &workqueue.UnansweredError{BatchPart: part, Err: clitest.ErrLost}
}

func TestEnqueueReportsUnknownOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		run := enqueue.NewRun(&projectdir.App{App: &cli.App{Streams: cli.Streams{Stderr: io.Discard}}}, &silentStore{answered: 1}, "the-key-of-it", numbered(3000))
		_, _, err := run.All(t.Context())
		for _, want := range []string{
			"at least 1000 of 3000 items are in the queue; it is unknown whether the next 1000 (lines 1001 to 2000) are, because the database did not answer", "unexpected EOF",
			"`botwork items batch the-key-of-it`", "the same command and input with --batch the-key-of-it",
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want it to contain %q", err, want)
			}
		}
		if took := time.Since(began); took != batch.LookupTimeout {
			t.Errorf("it tried for %v, want %v", took, batch.LookupTimeout)
		}
	})
}

func TestEnqueueReportsWhereToContinue(t *testing.T) {
	run := enqueue.NewRun(&projectdir.App{App: &cli.App{Streams: cli.Streams{Stderr: io.Discard}}}, &silentStore{answered: 2, err: errors.New("connection refused")}, "the-key-of-it", numbered(3000))
	_, _, err := run.All(t.Context())
	const want = "2000 of 3000 items are in the queue, the others are not: connection refused; continue from line 2001, " +
		"or repeat the same command and input with --batch the-key-of-it: no item is enqueued twice"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// After an interrupt during an unanswered batch, the command tries once more and reports an
// unknown outcome.
func TestEnqueueInterruptedWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		store := &silentStore{answered: 1}
		run := enqueue.NewRun(&projectdir.App{App: &cli.App{Streams: cli.Streams{Stderr: io.Discard}}}, store, "the-key-of-it", numbered(3000))
		time.AfterFunc(time.Second, interrupt)
		began := time.Now()
		_, _, err := run.All(ctx)
		if took := time.Since(began); took != time.Second+batch.Grace {
			t.Errorf("it ended after %v", took)
		}
		if err == nil || !strings.Contains(err.Error(), "it is unknown whether") {
			t.Errorf("got %v, want an unknown outcome", err)
		}
	})
}

func TestEnqueueSameBatchTwice(t *testing.T) {
	clitest.InProject(t)
	var lines strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&lines, `{"pipeline": "hello", "payload": {"name": "n%d"}}`+"\n", i)
	}
	for i := range 3 {
		r := clitest.DoWith(t, lines.String(), nil, "enqueue", "-", "--batch", "import-2026")
		want := "2500 items enqueued: ids 1 to 2500\n"
		if i > 0 {
			want = "2500 items enqueued: ids 1 to 2500; 2500 of them by an earlier command with this batch key\n"
		}
		if r.Code != cli.ExitDone || !strings.HasPrefix(r.Stdout, want) {
			t.Errorf("exit code %d, output %q, want it to begin with %q; %s", r.Code, r.Stdout, want, r.Stderr)
		}
	}
	for range 2 {
		clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "one"}`, "--batch", "one-item")
		clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "many"}`, "--batch", "many-items", "--count", "3")
	}
	if n := clitest.Rows(t); n != 2504 {
		t.Errorf("%d items are in the queue, want 2504", n)
	}
	if got, want := clitest.Must(t, "items", "batch", "import-2026"), "batch import-2026: 2500 items in the queue, in 3 parts; new ids 1 to 2500; "; !strings.HasPrefix(got, want) {
		t.Errorf("items batch = %q, want it to begin with %q", got, want)
	}
	if got := clitest.Must(t, "items", "batch", "unknown-key"); !strings.Contains(got, "no record") {
		t.Errorf("items batch of an unknown key = %q", got)
	}
	r := clitest.DoWith(t, `{"pipeline": "hello", "payload": {"name": "other"}}`, nil, "enqueue", "-", "--batch", "import-2026")
	r.WantFailure(t, cli.ExitFailed, "was already used for different input")
	clitest.Do(t, "enqueue", "--pipeline", "hello", "--batch", "a b").WantFailure(t, cli.ExitUsage, "--batch: ")
}

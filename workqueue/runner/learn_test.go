package runner_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/learned"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// learnStore counts the calls of Learn, and returns the error that a test sets.
type learnStore struct {
	runner.Store

	mu    sync.Mutex
	calls int
	most  int // keys of one call
	err   error
}

func (s *learnStore) Learn(ctx context.Context, of []learned.Runs) error {
	s.mu.Lock()
	s.calls++
	s.most = max(s.most, len(of))
	err := s.err
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.Store.Learn(ctx, of)
}

func (s *learnStore) set(err error) (calls, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	return s.calls, s.most
}

// reset returns the number of calls, and sets it to 0.
func (s *learnStore) reset() (calls int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls, s.calls, s.most = s.calls, 0, 0
	return calls
}

// learnedRuns returns the number of runs and the mean of each key in the store.
func learnedRuns(t *testing.T, store storetest.Store) map[string]string {
	t.Helper()
	all, err := store.Durations(t.Context(), learned.Filter{Limit: 5000})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, l := range all {
		off, _ := l.Error()
		got[fmt.Sprintf("%s %s/%s", l.Kind, l.Pipeline, l.Name)] = fmt.Sprintf("%d of %s, off by %s",
			l.Runs, l.Mean().Round(time.Microsecond), off.Round(time.Microsecond))
	}
	return got
}

// The durations of successful runs are saved for all keys of the item within ten seconds. Those
// of other runs are not.
func TestRunnerLearnsDurations(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		learns := &learnStore{Store: store}
		o := options(learns, "ann", func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
			time.Sleep(time.Duration(it.Priority) * time.Millisecond)
			switch it.IntegrationConfig {
			case "fails":
				return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent, Error: "boom"}
			case "snoozes":
				return workqueue.Outcome{Verdict: workqueue.Snoozed, After: time.Hour}
			case "out of time":
				it.Follow("", workqueue.Resilience{Timeout: workqueue.Duration(time.Millisecond)})
				<-ctx.Done()
			case "drops":
				return workqueue.Outcome{Verdict: workqueue.Dropped}
			}
			return workqueue.Outcome{}
		})
		o.Profiles = func(pipeline string) workqueue.Profile {
			return map[string]workqueue.Profile{"invoices": {KeySeparator: ":"}}[pipeline]
		}
		r := start(t, o)
		// The ten seconds begin at a random time; the first write shows when.
		enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "first"})
		assignTo(t, r, assign.AssignParams{})
		execute(t, r, runner.ExecuteParams{})
		for learns.reset() == 0 {
			time.Sleep(time.Millisecond)
		}
		for _, like := range []workqueue.NewItem{
			{Priority: 300}, {Priority: 200, NaturalKey: "LIS:1"}, {Priority: 100, NaturalKey: "LIS:2", Estimate: 150 * time.Millisecond},
			{Priority: 50, IntegrationConfig: "letters", NaturalKey: "LIS:3"},
			{Priority: 40, IntegrationConfig: "steps: []", NaturalKey: "LIS:4"},
			{IntegrationConfig: "fails"}, {IntegrationConfig: "snoozes"}, {IntegrationConfig: "drops"},
			{IntegrationConfig: "out of time"},
		} {
			enqueue(t, store, 1, like)
		}
		assignTo(t, r, assign.AssignParams{})
		execute(t, r, runner.ExecuteParams{})
		if calls, _ := learns.set(nil); calls != 0 {
			t.Errorf("%d calls while the items ran, want none within a second", calls)
		}
		time.Sleep(10 * time.Second)
		want := map[string]string{
			"pipeline invoices/": "3 of 200ms, off by 75ms", // 100 ms below the first, 50 ms below what the item said
			"key invoices/LIS":   "2 of 150ms, off by 50ms",
			"pipeline letters/":  "1 of 50ms, off by 0s",
			"pipeline first/":    "1 of 0s, off by 0s",
		}
		if diff := cmp.Diff(want, learnedRuns(t, store)); diff != "" {
			t.Errorf("learned: -want +got\n%s", diff)
		}
		time.Sleep(10 * time.Minute)
		if calls, most := learns.set(nil); calls != 1 || most != 3 {
			t.Errorf("%d calls with up to %d keys, want no calls while nothing runs", calls, most)
		}
	})
}

// A worker that stops writes the durations that it has collected.
func TestRunnerSavesDurationsWhenItStops(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		r := start(t, options(store, "ann", func(context.Context, *workqueue.Run) workqueue.Outcome {
			time.Sleep(time.Second)
			return workqueue.Outcome{}
		}))
		enqueue(t, store, 1, workqueue.NewItem{})
		assignTo(t, r, assign.AssignParams{})
		done := background(t, r, runner.ExecuteParams{})
		time.Sleep(time.Millisecond)
		if err := r.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := <-done; got.Succeeded != 1 {
			t.Fatalf("%+v, want the run to end within the shutdown timeout", got)
		}
		if diff := cmp.Diff(map[string]string{"pipeline invoices/": "1 of 1s, off by 0s"}, learnedRuns(t, store)); diff != "" {
			t.Errorf("learned: -want +got\n%s", diff)
		}
	})
}

// A limited number of durations that cannot be written are kept, and nothing waits for them.
func TestRunnerKeepsUnsavedDurations(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var log logged
		learns := &learnStore{Store: store, err: errDown}
		o := options(learns, "ann", func(context.Context, *workqueue.Run) workqueue.Outcome { return workqueue.Outcome{} })
		o.Log = zerolog.New(&log)
		o.Spec.Capacity = 100
		o.Profiles = func(string) workqueue.Profile { return workqueue.Profile{KeySeparator: ":"} }
		r := start(t, o)
		const keys = 1200
		items := make([]workqueue.NewItem, keys)
		for n := range items {
			items[n] = workqueue.NewItem{IntegrationConfig: "invoices", NaturalKey: fmt.Sprintf("%d:x", n)}
		}
		if _, err := store.Enqueue(t.Context(), items); err != nil {
			t.Fatal(err)
		}
		assignTo(t, r, assign.AssignParams{Workers: assign.AvailableWorkers, Horizon: 1000 * time.Hour})
		began := time.Now()
		if got := execute(t, r, runner.ExecuteParams{}); got.Succeeded != keys || time.Since(began) > time.Second {
			t.Fatalf("%+v after %s, want all items without a delay", got, time.Since(began))
		}
		time.Sleep(time.Minute)
		calls, _ := learns.set(nil)
		if lines := strings.Count(log.String(), "could not save run durations"); calls < 5 || calls > 7 || lines != calls {
			t.Errorf("%d calls and %d log lines in a minute, want one every ten seconds:\n%s", calls, lines, log.String())
		}
		time.Sleep(10 * time.Second)
		got := learnedRuns(t, store)
		if len(got) != 1000 || !strings.HasPrefix(got["pipeline invoices/"], fmt.Sprintf("%d of ", keys)) {
			t.Errorf("%d keys are saved, that of the pipeline is %q; want 1,000 keys, and all runs of the pipeline", len(got), got["pipeline invoices/"])
		}
		if _, most := learns.set(nil); most > 100 {
			t.Errorf("%d keys were written by one call", most)
		}
	})
}

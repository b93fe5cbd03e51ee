package learned

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
)

// fakeStore answers what a pass may count with.
type fakeStore struct {
	known map[Key]Typical
	err   error
	reads int
}

func (s *fakeStore) Learned(context.Context) (map[Key]Typical, error) {
	s.reads++
	return s.known, s.err
}

func known(mean time.Duration) Typical { return Typical{Runs: LeastRuns, Mean: mean} }

func TestLearnedEstimate(t *testing.T) {
	const s = time.Second
	l := NewEstimates(&fakeStore{known: map[Key]Typical{
		{Kind: OfPipeline, Pipeline: "invoices"}:              known(10 * s),
		{Kind: OfTask, Pipeline: "invoices", Name: "nightly"}: known(20 * s),
		{Kind: OfTask, Pipeline: "", Name: "inline"}:          known(25 * s),
		{Kind: OfKey, Pipeline: "invoices", Name: "LIS"}:      known(30 * s),
		{Kind: OfKey, Pipeline: "invoices", Name: "OPO"}:      {Runs: LeastRuns - 1, Mean: 99 * s},
		{Kind: OfPipeline, Pipeline: "new"}:                   {Runs: LeastRuns - 1, Mean: 99 * s},
		{Kind: OfTask, Pipeline: "letters", Name: "nightly"}:  known(40 * s),
		{Kind: OfPipeline, Pipeline: "quick"}:                 known(0),
		{Kind: OfPipeline, Pipeline: `{"steps": []}`}:         known(99 * s), // nothing that is learned
		{Kind: OfTask, Pipeline: "invoices", Name: "monthly"}: {Runs: 1, Mean: 99 * s},
		{Kind: OfKey, Pipeline: "letters", Name: "LIS"}:       known(50 * s),
		{Kind: OfTask, Pipeline: "invoices", Name: "ação"}:    known(60 * s),
	}})
	byKey := workqueue.Profile{KeySeparator: ":"}
	if _, ok := l.Estimate("invoices", "", "", byKey); ok {
		t.Error("it knows something before it has read")
	}
	if err := l.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, pipeline, task, key string
		profile                   workqueue.Profile
		want                      time.Duration
	}{
		{"the pipeline", "invoices", "", "", workqueue.Profile{}, 10 * s},
		{"blanks around it", "  invoices ", "", "", workqueue.Profile{}, 10 * s},
		{"the task goes before the pipeline", "invoices", "nightly", "", workqueue.Profile{}, 20 * s},
		{"a task of letters beyond ASCII", "invoices", "ação", "", workqueue.Profile{}, 60 * s},
		{"of a task of which too little is known: the pipeline", "invoices", "monthly", "", workqueue.Profile{}, 10 * s},
		{"the key goes before the task", "invoices", "nightly", "LIS:17", byKey, 30 * s},
		{"a key without the separator", "invoices", "nightly", "LIS", byKey, 20 * s},
		{"a key that the pipeline does not learn by", "invoices", "nightly", "LIS:17", workqueue.Profile{}, 20 * s},
		{"of a key of which too little is known: the task", "invoices", "nightly", "OPO:17", byKey, 20 * s},
		{"a key of another pipeline", "letters", "", "LIS:17", byKey, 50 * s},
		{"the task's other pipeline", "letters", "nightly", "", workqueue.Profile{}, 40 * s},
		{"a task whose items hold their pipeline", `{"steps": []}`, "inline", "", workqueue.Profile{}, 25 * s},
		{"less than three runs", "new", "", "", workqueue.Profile{}, 0},
		{"nothing at all", "unknown", "nightly", "LIS:17", byKey, 0},
		{"an inline pipeline", `{"steps": []}`, "", "", workqueue.Profile{}, 0},
		{"never 0", "quick", "", "", workqueue.Profile{}, time.Microsecond},
		{"not the pipeline's own estimate, which the caller turns to", "new", "", "", workqueue.Profile{Estimate: time.Hour}, 0},
	} {
		if got, ok := l.Estimate(test.pipeline, test.task, test.key, test.profile); got != test.want || ok != (test.want > 0) {
			t.Errorf("%s: %s (%t), want %s", test.name, got, ok, test.want)
		}
	}
	var none *Estimates
	if _, ok := none.Estimate("invoices", "", "", workqueue.Profile{}); ok || none.Refresh(t.Context()) != nil {
		t.Error("none at all knows something")
	}
}

func TestLearnedIsReadAgainAfterHalfAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{known: map[Key]Typical{{Kind: OfPipeline, Pipeline: "p"}: known(time.Second)}}
		l := NewEstimates(store)
		wantReads := func(n int, want time.Duration, broken error) {
			t.Helper()
			if err := l.Refresh(t.Context()); !errors.Is(err, broken) || store.reads != n {
				t.Errorf("after %d reads: %v; want %d reads, and %v", store.reads, err, n, broken)
			}
			if got, _ := l.Estimate("p", "", "", workqueue.Profile{}); got != want {
				t.Errorf("the estimate is %s, want %s", got, want)
			}
		}
		wantReads(1, time.Second, nil)
		time.Sleep(maxAge - 1)
		store.known = map[Key]Typical{{Kind: OfPipeline, Pipeline: "p"}: known(time.Minute)}
		wantReads(1, time.Second, nil)
		time.Sleep(time.Nanosecond)
		away := errors.New("away")
		store.err = away
		wantReads(2, time.Second, away) // what was known before
		store.err = nil
		wantReads(3, time.Minute, nil)
	})
}

func TestDurationKeys(t *testing.T) {
	byKey := workqueue.Profile{KeySeparator: "::"}
	for _, test := range []struct {
		name, config, task, key string
		profile                 workqueue.Profile
		want                    []Key
	}{
		{"a pipeline", " invoices\t", "", "", workqueue.Profile{}, []Key{{OfPipeline, "invoices", ""}}},
		{"all", "invoices", "nightly", "LIS::4::5", byKey, []Key{{OfPipeline, "invoices", ""}, {OfTask, "invoices", "nightly"}, {OfKey, "invoices", "LIS"}}},
		{"a key without the separator", "invoices", "", "LIS:4", byKey, []Key{{OfPipeline, "invoices", ""}}},
		{"a key that begins with it", "invoices", "", "::4", byKey, []Key{{OfPipeline, "invoices", ""}}},
		{"an inline pipeline", "steps: [x]", "", "LIS::4", byKey, nil},
		{"a task's inline pipeline", "a\nb", "nightly", "LIS::4", byKey, []Key{{OfTask, "", "nightly"}}},
		{"broken signs", "a\x00b\xff", "", "", workqueue.Profile{}, []Key{{OfPipeline, "a\uFFFDb\uFFFD", ""}}},
		{"nothing", " ", " ", " ", byKey, nil},
	} {
		got := Keys(test.config, test.task, test.key, test.profile)
		if len(got) != len(test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s: %q, want %q", test.name, got, test.want)
			}
		}
	}
}

// Long names are cut where SQL Server counts their end.
func TestDurationNamesFitTheirColumns(t *testing.T) {
	for name, want := range map[string]string{"abcdef": "abcd", "ab😀c": "ab😀", "abc😀": "abc", "ab  cd": "ab", "żółć!": "żółć"} {
		if got := keyName(name, 4); got != want {
			t.Errorf("%q is cut to %q, want %q", name, got, want)
		}
	}
}

// A pass asks for each of a million items.
func BenchmarkLearnedEstimate(b *testing.B) {
	all := map[Key]Typical{}
	for n := range 200 {
		pipeline := fmt.Sprintf("pipeline-%d", n)
		all[Key{Kind: OfPipeline, Pipeline: pipeline}] = known(time.Second)
		for i := range 50 {
			all[Key{Kind: OfTask, Pipeline: pipeline, Name: fmt.Sprintf("task-%d", i)}] = known(time.Second)
			all[Key{Kind: OfKey, Pipeline: pipeline, Name: fmt.Sprintf("key-%d", i)}] = known(time.Second)
		}
	}
	l := NewEstimates(&fakeStore{known: all})
	if err := l.Refresh(b.Context()); err != nil {
		b.Fatal(err)
	}
	p := workqueue.Profile{KeySeparator: ":"}
	for b.Loop() {
		if _, ok := l.Estimate("pipeline-77", "task-33", "another:1", p); !ok {
			b.Fatal("nothing is known")
		}
	}
}

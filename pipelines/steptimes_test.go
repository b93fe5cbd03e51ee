package pipelines

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
)

// The time of each step is recorded with the item, with the waits of its repetitions. Those of skipped steps are
// not, nor that of the only step of a pipeline.
func TestStepTimes(t *testing.T) {
	sleeps := func(d time.Duration, err error) do {
		return func(context.Context, *handlers.Call) (any, error) { time.Sleep(d); return nil, err }
	}
	kinds := map[string]do{"Slow": sleeps(1500*time.Millisecond, nil), "Quick": sleeps(0, nil), "Bad": sleeps(time.Second, errors.New("no paper"))}
	for name, c := range map[string]struct {
		text string
		want workqueue.JSONText
	}{
		"all run":        {"steps: [{name: a, handler: Slow}, {name: b, handler: Quick}]", `[{"step":"a","ms":1500},{"step":"b","ms":0}]`},
		"one is skipped": {"steps: [{name: a, handler: Slow, if: 'false'}, {name: b, handler: Slow}]", `[{"step":"b","ms":1500}]`},
		"one fails":      {"steps: [{name: a, handler: Slow}, {name: b, handler: Bad}, {name: c, handler: Slow}]", `[{"step":"a","ms":1500},{"step":"b","ms":1000}]`},
		"one fails, and the run goes on": {"steps: [{name: a, handler: Bad, onError: continue}, {name: b, handler: Slow}]",
			`[{"step":"a","ms":1000},{"step":"b","ms":1500}]`},
		"one is repeated": {"steps: [{name: a, handler: Bad, retry: {attempts: 2, delay: 3s, jitter: 0}}, {name: b, handler: Slow}]", `[{"step":"a","ms":5000}]`},
		"it is alone":     {"steps: [{name: a, handler: Slow}]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				run := testRun(`{}`)
				testEngine(nil).Run(t.Context(), parse(t, testCompiler(kinds), c.text), RunInput{Run: run})
				if got := run.ProgressNote().StepTimes; got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			})
		})
	}
}

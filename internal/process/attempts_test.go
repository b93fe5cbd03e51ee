package process_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

func TestLimitIsTotalNumberOfAttempts(t *testing.T) {
	ends := map[string]struct {
		end  func() error
		kind workqueue.ErrorKind
	}{
		"errors": {func() error { return errors.New("no luck") }, workqueue.KindError},
		"panics": {func() error { panic("no luck") }, workqueue.KindPanic},
	}
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		for name, tt := range ends {
			for limit := 1; limit <= 3; limit++ {
				t.Run(fmt.Sprintf("%s, limit %d", name, limit), func(t *testing.T) {
					x := newFixture(t, e)
					tried := 0
					x.kinds["Try"] = func(context.Context, *handlers.Call) (any, error) { tried++; return nil, tt.end() }
					x.files["try"] = "steps:\n  - handler: Try\n"
					x.wantAttempts(&tried, limit, tt.kind)
				})
			}
		}
	})
}

// wantAttempts runs an item that always fails until it has no attempts left. Only the database's
// clock is advanced: by one hour before the second attempt and by two before the third.
func (x *fixture) wantAttempts(tried *int, limit int, kind workqueue.ErrorKind) {
	now, err := x.store.Now(x.Context())
	if err != nil {
		x.Fatal(err)
	}
	x.clock = &clock{now: now.Truncate(time.Second)}
	x.store = x.open()
	id := x.enqueue(workqueue.NewItem{
		Priority: 1000, IntegrationConfig: "try",
		ResilienceConfig: workqueue.JSONText(fmt.Sprintf(`{"limit": %d, "delay": "1h", "factor": 2, "maxDelay": "10h", "jitter": 0}`, limit)),
	})
	wait := time.Hour
	for attempt := 1; attempt < limit; attempt++ {
		x.runOnce(x.newOptions("w"), medium)
		it := x.item(id)
		if *tried != attempt || it.State != workqueue.Ready || it.RetryCount != attempt {
			x.Fatalf("after run %d: tried %d times, state %s, RetryCount %d; want Ready and %d", attempt, *tried, it.State, it.RetryCount, attempt)
		}
		if want := x.clock.read().Add(wait); !it.AvailableAt.Equal(want) {
			x.Errorf("attempt %d: due at %s, want %s", attempt+1, it.AvailableAt, want)
		}
		x.clock.advance(wait - time.Millisecond)
		if x.runOnce(x.newOptions("w"), medium); *tried != attempt {
			x.Fatalf("attempt %d ran a millisecond before the end of its backoff", attempt+1)
		}
		x.clock.advance(time.Millisecond)
		wait *= 2
	}
	x.runOnce(x.newOptions("w"), medium)
	x.clock.advance(1000 * time.Hour)
	x.runOnce(x.newOptions("w"), medium)
	it := x.item(id)
	if *tried != limit || it.State != workqueue.Cancelled || it.RetryCount != limit || text(it.ErrorKind) != string(kind) {
		x.Errorf("in the end: tried %d times, state %s, RetryCount %d, kind %s; want Cancelled, %d and %s",
			*tried, it.State, it.RetryCount, text(it.ErrorKind), limit, kind)
	}
	attempts := x.attempts(id)
	for i, a := range attempts {
		if a.Attempt != i+1 || a.Outcome != "failed" || text(a.Step) != "Try" {
			x.Errorf("attempt row %d = number %d, %s, step %s; want %d, failed, Try", i, a.Attempt, a.Outcome, text(a.Step), i+1)
		}
	}
	if len(attempts) != limit {
		x.Errorf("%d attempt rows, want %d", len(attempts), limit)
	}
}

package workqueue

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// policy returns a policy without jitter: limit attempts, a wait of delay.
func policy(limit int, delay time.Duration, on ...ErrorKind) Resilience {
	none := 0.0
	if on == nil {
		on = []ErrorKind{KindError, KindTimeout}
	}
	return Resilience{Limit: limit, Delay: Duration(delay), Factor: 1, MaxDelay: Duration(time.Hour), Jitter: &none, RetryOn: on}
}

func TestSettleFailures(t *testing.T) {
	const s = time.Second
	failed := func(kind ErrorKind) Outcome { return Outcome{Verdict: Failed, Kind: kind, Error: "boom", Step: "load"} }
	three := policy(3, 10*s)
	tests := []struct {
		name            string
		retries         int
		own             JSONText
		outcome         Outcome
		pipeline, queue Resilience
		want            State
		delay           time.Duration
		note            string
	}{
		{name: "first of three", outcome: failed(KindError), queue: three, want: Ready, delay: 10 * s, note: "failed"},
		{name: "second of three", retries: 1, outcome: failed(KindError), queue: three, want: Ready, delay: 10 * s, note: "failed"},
		{name: "third of three", retries: 2, outcome: failed(KindError), queue: three, want: Cancelled, note: "failed"},
		{name: "above the limit, which was lowered", retries: 7, outcome: failed(KindError), queue: three, want: Cancelled, note: "failed"},
		{name: "limit 1 means no retry", outcome: failed(KindError), queue: policy(1, s), want: Cancelled, note: "failed"},
		{name: "a panic is an error", outcome: failed(KindPanic), queue: three, want: Ready, delay: 10 * s, note: "failed"},
		{name: "a timeout", outcome: failed(KindTimeout), queue: three, want: Ready, delay: 10 * s, note: "timeout"},
		{name: "the last timeout", retries: 2, outcome: failed(KindTimeout), queue: three, want: Cancelled, note: "timeout"},
		{name: "permanent, no retry", outcome: failed(KindPermanent), queue: three, want: Cancelled, note: "failed"},
		{name: "business, not in retryOn", outcome: failed(KindBusiness), queue: three, want: Cancelled, note: "failed"},
		{name: "business, in retryOn", outcome: failed(KindBusiness), queue: policy(3, 10*s, KindBusiness), want: Ready, delay: 10 * s, note: "failed"},
		{name: "the item's policy over the pipeline's", own: `{"limit": 1}`,
			outcome: failed(KindError), pipeline: policy(5, s), queue: three, want: Cancelled, note: "failed"},
		{name: "the pipeline's policy over the queue's",
			outcome: failed(KindError), pipeline: policy(5, s), queue: policy(1, 10*s), want: Ready, delay: s, note: "failed"},
		{name: "the item's limit with the queue's delay", own: `{"limit": 2}`, outcome: failed(KindError), queue: policy(1, 10*s),
			want: Ready, delay: 10 * s, note: "failed"},
		{name: "the run requested a longer wait", outcome: Outcome{Verdict: Failed, Kind: KindError, After: time.Minute}, queue: three,
			want: Ready, delay: time.Minute, note: "failed"},
		{name: "the run requested a shorter wait", outcome: Outcome{Verdict: Failed, Kind: KindError, After: s}, queue: three,
			want: Ready, delay: 10 * s, note: "failed"},
		{name: "the run requested a wait of 68 years", outcome: Outcome{Verdict: Failed, Kind: KindError, After: 68 * 365 * 24 * time.Hour}, queue: three,
			want: Ready, delay: time.Hour, note: "failed"},
		{name: "a wait that never ends", outcome: Outcome{Verdict: Failed, Kind: KindError, After: math.MaxInt64}, queue: three,
			want: Ready, delay: time.Hour, note: "failed"},
		{name: "a negative wait", outcome: Outcome{Verdict: Failed, Kind: KindError, After: -time.Hour}, queue: three,
			want: Ready, delay: 10 * s, note: "failed"},
		{name: "within is shorter than an hour", own: `{"within": "10m"}`, outcome: Outcome{Verdict: Failed, Kind: KindError, After: 24 * time.Hour}, queue: three,
			want: Ready, delay: 10 * time.Minute, note: "failed"},
		{name: "the item allows a longer wait", own: `{"maxRetryAfter": "1d"}`, outcome: Outcome{Verdict: Failed, Kind: KindError, After: 48 * time.Hour}, queue: three,
			want: Ready, delay: 24 * time.Hour, note: "failed"},
		{name: "the pipeline allows a shorter wait", pipeline: Resilience{MaxRetryAfter: Duration(time.Minute)},
			outcome: Outcome{Verdict: Failed, Kind: KindError, After: time.Hour}, queue: three, want: Ready, delay: time.Minute, note: "failed"},
		{name: "maxRetryAfter does not shorten the backoff", own: `{"delay": "2h", "maxRetryAfter": "1s"}`,
			outcome: Outcome{Verdict: Failed, Kind: KindError, After: 3 * time.Hour}, queue: three, want: Ready, delay: 2 * time.Hour, note: "failed"},
		{name: "the requested wait does not retry an item without attempts left", retries: 2,
			outcome: Outcome{Verdict: Failed, Kind: KindError, After: time.Minute}, queue: three, want: Cancelled, note: "failed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			it := &Item{ID: 7, Fence: 3, RetryCount: test.retries, ResilienceConfig: test.own}
			run := &Run{Item: it, Queue: &Queue{}, QueueResilience: test.queue, pipeline: test.pipeline}
			got := test.outcome.ToFinish(run, time.Minute, 0.9)
			want := Finish{
				ItemID: 7, Fence: 3, State: test.want, RetryCount: test.retries + 1, Delay: test.delay,
				Error: test.outcome.Error, ErrorKind: test.outcome.Kind,
				Attempt: &AttemptNote{Number: test.retries + 1, Outcome: test.note, Step: test.outcome.Step},
				Took:    time.Minute,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestSettleWithoutAnyPolicyUsesTheDefault(t *testing.T) {
	for retries, want := range []struct {
		state State
		delay time.Duration
	}{{Ready, 30 * time.Second}, {Ready, time.Minute}, {Cancelled, 0}} {
		got := Outcome{Verdict: Failed}.ToFinish(NewRun(&Item{RetryCount: retries}), 0, 0.5)
		if got.State != want.state || got.Delay != want.delay || got.ErrorKind != KindError {
			t.Errorf("failure %d: %v after %s (%s), want %v after %s (error)",
				retries+1, got.State, got.Delay, got.ErrorKind, want.state, want.delay)
		}
	}
}

func TestSettleUncounted(t *testing.T) {
	it := &Item{ID: 7, Fence: 3, RetryCount: 2, ResilienceConfig: `{"limit": 1}`, Error: new("no such host"), ErrorKind: new(KindTimeout)}
	attempt := func(outcome, reason string) *AttemptNote {
		return &AttemptNote{Number: 3, Outcome: outcome, Step: "load", Reason: reason}
	}
	// The item keeps the error of its last failure.
	waits := Finish{ItemID: 7, Fence: 3, State: Ready, RetryCount: 2, Error: "no such host", ErrorKind: KindTimeout}
	with := func(f Finish, delay time.Duration, attempt *AttemptNote) Finish {
		f.Delay, f.Attempt = delay, attempt
		return f
	}
	tests := []struct {
		name    string
		outcome Outcome
		want    Finish
		item    *Item // nil: one that has failed
	}{
		{"success drops the error and keeps the output",
			Outcome{Verdict: Succeeded, Output: `{"rows": 3}`, Error: "stale", Kind: KindError, After: time.Hour},
			Finish{ItemID: 7, Fence: 3, State: Processed, RetryCount: 2, Output: `{"rows": 3}`}, nil},
		{"snooze", Outcome{Verdict: Snoozed, After: time.Hour, Error: "not yet", Step: "load", Output: "1"},
			with(waits, time.Hour, attempt("snoozed", "not yet")), nil},
		{"snooze without a reason", Outcome{Verdict: Snoozed, After: time.Hour, Step: "load"}, with(waits, time.Hour, attempt("snoozed", "")), nil},
		{"release", Outcome{Verdict: Released, After: time.Hour, Error: "draining", Step: "load", Output: "1"},
			with(waits, 0, attempt("released", "draining")), nil},
		{"snooze of an item that never failed", Outcome{Verdict: Snoozed, Error: "not yet", Step: "load"},
			Finish{State: Ready, RetryCount: 2, Attempt: attempt("snoozed", "not yet")}, &Item{RetryCount: 2}},
		{"snooze of an item that was released", Outcome{Verdict: Snoozed, Error: "not yet", Step: "load"},
			Finish{State: Ready, RetryCount: 2, Attempt: attempt("snoozed", "not yet")}, &Item{RetryCount: 2, Error: new("draining")}},
		{"release of an item that never failed", Outcome{Verdict: Released, Error: "draining", Step: "load"},
			Finish{State: Ready, RetryCount: 2, Error: "draining", Attempt: attempt("released", "draining")}, &Item{RetryCount: 2}},
		{"release of an item that was released", Outcome{Verdict: Released, Error: "draining", Step: "load"},
			Finish{State: Ready, RetryCount: 2, Error: "draining", Attempt: attempt("released", "draining")}, &Item{RetryCount: 2, Error: new("needs 3 slots")}},
	}
	for _, test := range tests {
		it := it
		if test.item != nil {
			it = test.item
		}
		if diff := cmp.Diff(test.want, test.outcome.ToFinish(&Run{Item: it, Queue: &Queue{}, QueueResilience: policy(1, time.Second)}, 0, 0.5)); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
}

func TestSettleReportsUnreadablePolicy(t *testing.T) {
	it := &Item{ResilienceConfig: `{"limit": "many"}`}
	run := &Run{Item: it, Queue: &Queue{}, QueueResilience: policy(1, time.Hour), pipeline: policy(2, time.Second)}
	got := Outcome{Verdict: Failed, Kind: KindError, Error: "boom"}.ToFinish(run, 0, 0.5)
	if got.State != Ready || got.Delay != time.Second {
		t.Errorf("%v after %s, want the pipeline's policy to hold: Ready after 1s", got.State, got.Delay)
	}
	if !strings.HasPrefix(got.Error, "boom\n") || !strings.Contains(got.Error, `resilience {"limit": "many"}`) {
		t.Errorf("error %q, want the failure and the fault of the policy", got.Error)
	}
}

// A text that the database refuses would be retried forever.
func TestSettleWritesOnlyStorableTexts(t *testing.T) {
	got := Outcome{Verdict: Failed, Kind: KindPermanent, Error: "exit 1: a\x00b", Step: strings.Repeat("é", 201)}.ToFinish(NewRun(&Item{}), 0, 0)
	if got.Error != "exit 1: ab" {
		t.Errorf("error %q, want no NUL in it", got.Error)
	}
	if want := strings.Repeat("é", 200); got.Attempt.Step != want {
		t.Errorf("step of %d letters, want the 200 of its column", len([]rune(got.Attempt.Step)))
	}
	if got := (Outcome{Output: "\"a\x00\""}).ToFinish(NewRun(&Item{}), 0, 0); got.Output != `"a"` {
		t.Errorf("output %q, want no NUL in it", got.Output)
	}
}

func TestSettleStopsRetryingAfterWithin(t *testing.T) {
	began := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name   string
		within time.Duration
		age    time.Duration // of the first attempt when this one began
		took   time.Duration
		after  time.Duration // that the failure requests
		want   State
	}{
		{"no bound", 0, 1000 * time.Hour, time.Hour, 0, Ready},
		{"just within", 30 * time.Minute, 19 * time.Minute, time.Minute, 0, Ready},
		{"the backoff ends too late", 30 * time.Minute, 20 * time.Minute, time.Second, 0, Cancelled},
		{"the run ended too late", 30 * time.Minute, 0, time.Hour, 0, Cancelled},
		{"the requested wait ends too late", 30 * time.Minute, 0, time.Second, time.Hour, Cancelled},
	} {
		t.Run(test.name, func(t *testing.T) {
			now := began.Add(test.age)
			it := &Item{ID: 7, Fence: 3, FirstStartedAt: &began, StartedAt: &now}
			queue := policy(5, 10*time.Minute)
			queue.Within = Duration(test.within)
			o := Outcome{Verdict: Failed, Kind: KindError, Error: "boom", After: test.after}
			got := o.ToFinish(&Run{Item: it, Queue: &Queue{}, QueueResilience: queue}, test.took, 0.5)
			gaveUp := strings.Contains(got.Error, "given up: the next attempt would begin")
			if got.State != test.want || got.RetryCount != 1 || gaveUp != (test.want == Cancelled) {
				t.Errorf("%v after %d failures: %q, want %v", got.State, got.RetryCount, got.Error, test.want)
			}
		})
	}
}

// The settings of the queue, and the request of a handler, decide more than the state.
func TestSettleUsesPolicyOfQueue(t *testing.T) {
	hour, day := Duration(time.Hour), int64(24*time.Hour/time.Millisecond)
	failed := Outcome{Verdict: Failed, Kind: KindError, Error: "no such host"}
	retry := &AttemptNote{Number: 2, Outcome: "failed"}
	tests := []struct {
		name    string
		queue   Queue
		item    Item
		outcome Outcome
		want    Finish
	}{
		{"kept until a clean-up", Queue{}, Item{}, Outcome{}, Finish{State: Processed, RetryCount: 1}},
		{"kept for the queue's retention", Queue{QueueLife: QueueLife{Retain: &hour}}, Item{}, Outcome{},
			Finish{State: Processed, RetryCount: 1, Retain: new(time.Hour)}},
		{"the item has a longer retention", Queue{QueueLife: QueueLife{Retain: &hour}}, Item{RetainMs: &day}, Outcome{},
			Finish{State: Processed, RetryCount: 1, Retain: new(24 * time.Hour)}},
		{"not kept", Queue{}, Item{RetainMs: new(int64)}, Outcome{}, Finish{State: Processed, RetryCount: 1, Retain: new(time.Duration)}},
		{"a failure is kept with the archive's limits", Queue{QueueLife: QueueLife{Retain: &hour}}, Item{}, Outcome{Verdict: Failed, Kind: KindPermanent},
			Finish{State: Cancelled, RetryCount: 2, ErrorKind: KindPermanent, Attempt: retry}},
		{"dropped", Queue{}, Item{}, Outcome{Verdict: Dropped, Error: "withdrawn"},
			Finish{State: Cancelled, RetryCount: 1, Error: "withdrawn", Delete: DeletionPhysical}},
		{"dropped, and hidden", Queue{QueueLife: QueueLife{Deletion: DeletionLogical}}, Item{}, Outcome{Verdict: Dropped, Error: "withdrawn"},
			Finish{State: Cancelled, RetryCount: 1, Error: "withdrawn", Delete: DeletionLogical}},
		{"retried as a copy", Queue{RetryAs: RetryCopy}, Item{}, failed,
			Finish{State: Cancelled, Copy: true, RetryCount: 2, Delay: time.Second, Error: "no such host", ErrorKind: KindError, Attempt: retry}},
		{"the last attempt makes no copy", Queue{RetryAs: RetryCopy}, Item{RetryCount: 2}, failed,
			Finish{State: Cancelled, RetryCount: 3, Error: "no such host", ErrorKind: KindError, Attempt: &AttemptNote{Number: 3, Outcome: "failed"}}},
		{"uncounted, although it was the last attempt", Queue{}, Item{RetryCount: 2}, Outcome{Verdict: Failed, Kind: KindError, Error: "away", Uncounted: true},
			Finish{State: Ready, RetryCount: 2, Delay: time.Second, Error: "away", ErrorKind: KindError, Attempt: &AttemptNote{Number: 3, Outcome: "failed"}}},
	}
	for _, test := range tests {
		if test.item.RetryCount == 0 {
			test.item.RetryCount = 1
		}
		got := test.outcome.ToFinish(&Run{Item: &test.item, Queue: &test.queue, QueueResilience: policy(3, time.Second)}, 0, 0.5)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
}

func TestRunCheck(t *testing.T) {
	queue := &Queue{Name: "orders", QueueSchemas: QueueSchemas{OutputSchema: `{"required": ["order"]}`}}
	analysed := &Run{Item: &Item{}, Queue: &Queue{Name: "orders", QueueSchemas: QueueSchemas{AnalyticsSchema: `{"required": ["pages"]}`}}}
	analysed.Analyse(`{"lines": 1}`)
	if got := analysed.CheckResult(new(Schemas), Outcome{}); got.Verdict != Failed || !strings.Contains(got.Error, "pages") {
		t.Errorf("analytics that do not match the schema: %+v, want a failure with the missing field", got)
	}
	if f := (Outcome{}).ToFinish(analysed, 0, 0); f.Analytics != `{"lines": 1}` {
		t.Errorf("the end has the analytics %s, want none", f.Analytics)
	}
	for _, test := range []struct {
		name         string
		shown        JSONText
		outcome      Outcome
		want         Verdict
		wantMentions string
	}{
		{"fits", "", Outcome{Output: `{"order": 1}`}, Succeeded, ""},
		{"does not match", "", Outcome{Output: `{}`}, Failed, "order"},
		{"no output", "", Outcome{}, Succeeded, ""}, // "required" applies to objects
		{"the shown output matches", `{"order": 1}`, Outcome{}, Succeeded, ""},
		{"the shown output does not match", `{}`, Outcome{}, Failed, "order"},
		{"a failure needs no output", "", Outcome{Verdict: Failed, Output: `{}`, Error: "boom"}, Failed, "boom"},
	} {
		run := &Run{Item: &Item{}, Queue: queue}
		if test.shown != "" {
			run.Show(test.shown)
		}
		got := run.CheckResult(new(Schemas), test.outcome)
		if got.Verdict != test.want || !strings.Contains(got.Error, test.wantMentions) {
			t.Errorf("%s: %+v, want verdict %d and %q", test.name, got, test.want, test.wantMentions)
		}
		if test.outcome.Verdict == Succeeded && got.Verdict == Failed && got.Kind != KindBusiness {
			t.Errorf("%s: kind %s, want business, because the data is wrong", test.name, got.Kind)
		}
	}
}

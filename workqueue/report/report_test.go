package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"botwork/workqueue"
)

// history is a Store in memory. Failures are in the order of a store.
type history struct {
	attempts []workqueue.Failure
	items    []workqueue.Failure
	workers  []workqueue.Worker
	runs     []workqueue.PipelineRun
	firings  []workqueue.Firing
	requests []workqueue.RunRequest
	uses     []workqueue.LimitUse
	stats    []workqueue.QueueStatistics
	deleted  []workqueue.AuditItem // their ids are 1, 2, …

	workqueue.AssignView
	pages  int
	counts int // how often statistics were read
}

var midnight = time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)

func (h *history) Failures(_ context.Context, f workqueue.FailureFilter) (page []workqueue.Failure, err error) {
	h.pages++
	all := h.attempts
	if f.Ended {
		all = h.items
	}
	for _, one := range all {
		in := !one.At.Before(f.Since) && (one.At.Before(f.Until) || one.At.Equal(f.Until) && one.ID < f.BeforeID)
		if in && (!f.Ended || one.Queue == f.Queue) && len(page) < f.Limit {
			page = append(page, one)
		}
	}
	return page, nil
}

func (h *history) AuditEntries(_ context.Context, f workqueue.AuditFilter) ([]workqueue.AuditEntry, error) {
	if f.Action != "items.delete" || f.BeforeID > 0 {
		return nil, nil
	}
	return []workqueue.AuditEntry{{ID: 1, At: midnight}}, nil
}

func (h *history) AuditItems(_ context.Context, _, after int64, limit int) ([]workqueue.AuditItem, error) {
	return h.deleted[min(int(after), len(h.deleted)):min(int(after)+limit, len(h.deleted))], nil
}

func (h *history) Queues(context.Context) ([]workqueue.Queue, error) {
	return []workqueue.Queue{{Name: "default"}, {Name: "other"}}, nil
}
func (h *history) Queue(_ context.Context, name string) (workqueue.Queue, error) {
	if name != "default" && name != "other" {
		return workqueue.Queue{}, workqueue.ErrNotFound
	}
	return workqueue.Queue{Name: name}, nil
}
func (h *history) Workers(context.Context) ([]workqueue.Worker, error) { return h.workers, nil }
func (h *history) Runs(context.Context, workqueue.RunFilter) ([]workqueue.PipelineRun, error) {
	return h.runs, nil
}
func (h *history) Firings(context.Context, workqueue.FiringFilter) ([]workqueue.Firing, error) {
	return h.firings, nil
}
func (h *history) RunRequests(context.Context, workqueue.RequestFilter) ([]workqueue.RunRequest, error) {
	return h.requests, nil
}
func (h *history) Statistics(context.Context, string) ([]workqueue.QueueStatistics, error) {
	h.counts++
	return h.stats, nil
}
func (h *history) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return read(ctx, h)
}
func (h *history) LimitUses(context.Context) ([]workqueue.LimitUse, error) { return h.uses, nil }
func (h *history) Now(context.Context) (time.Time, error)                  { return midnight.Add(7 * time.Hour), nil }

// fail adds a failed attempt, and the end of the item.
func (h *history) fail(item int64, at time.Duration, ended bool, f workqueue.Failure) {
	f.ItemID, f.At, f.ID = item, midnight.Add(at), int64(len(h.attempts)+1)
	if f.Queue == "" {
		f.Queue = "default"
	}
	h.attempts = append(h.attempts, f)
	if ended {
		f.ID = item
		f.Step = "" // unknown
		h.items = append(h.items, f)
	}
	latest := func(a, b workqueue.Failure) int { return b.At.Compare(a.At) }
	slices.SortStableFunc(h.attempts, latest)
	slices.SortStableFunc(h.items, latest)
}

func (h *history) make(t *testing.T, p Params, most int) *Report {
	t.Helper()
	if p.Since.IsZero() {
		p.Since = midnight.Add(-6 * time.Hour)
	}
	r, err := (&builder{Params: p, store: h, most: most}).make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// night is a night with one problem of each sort.
func night() *history {
	h := &history{}
	const day = 24 * time.Hour
	post := func(n int) workqueue.Failure {
		return workqueue.Failure{Pipeline: "load", Step: "post", Kind: workqueue.KindError, Error: fmt.Sprintf("step \"post\" (HTTP): HTTP 503 from https://erp.example.test/orders/%d", n)}
	}
	for n := range 3 {
		h.fail(int64(100+n), time.Duration(n)*time.Hour, false, post(n))
		h.fail(int64(100+n), time.Duration(n)*time.Hour+30*time.Minute, n < 2, post(n))
	}
	h.fail(50, -day, true, post(7)) // the night before
	h.fail(51, -day, true, workqueue.Failure{Pipeline: "load", Step: "post", Kind: workqueue.KindTimeout, Error: "timeout after 1m0s"})
	h.fail(200, 5*time.Hour, true, workqueue.Failure{Queue: "other", Pipeline: "{steps: []}", Kind: workqueue.KindBusiness, Error: "no such customer"})
	h.fail(201, 5*time.Hour, true, workqueue.Failure{Pipeline: "load", Kind: workqueue.KindCancelled, Error: "by a user"})
	h.fail(202, 4*time.Hour, false, workqueue.Failure{Pipeline: "load", Kind: workqueue.KindError, Error: "worker ann died", Worker: "ann", Host: "host-1", Rescued: true})
	h.fail(300, -10*time.Hour, true, post(8)) // between the nights

	worker := int64(1)
	lease, dead := midnight.Add(8*time.Hour), midnight.Add(4*time.Hour)
	h.workers = []workqueue.Worker{
		{ID: 1, Name: "ann", Host: "host-1", State: workqueue.WorkerActive, LastSeenAt: midnight.Add(7 * time.Hour), LeaseExpiresAt: &lease, StartedAt: midnight.Add(5 * time.Hour)},
		{ID: 2, Name: "bob", Host: "host-2", State: workqueue.WorkerActive, LastSeenAt: dead, LeaseExpiresAt: &dead},
		{ID: 3, Name: "eve", Host: "host-3", State: workqueue.WorkerStopped, LastSeenAt: dead, LeaseExpiresAt: &dead},
		{ID: 4, Name: "old", Host: "host-4", State: workqueue.WorkerActive, LastSeenAt: midnight.Add(-9 * day)},
	}
	planned := midnight.Add(2 * time.Hour)
	h.runs = []workqueue.PipelineRun{
		{ID: 14, Pipeline: "nightly", Trigger: "cron", WorkerID: &worker, Outcome: workqueue.RunRunning, StartedAt: midnight.Add(4 * time.Hour)}, // before ann started again
		{ID: 13, Pipeline: "nightly", Trigger: "cron", WorkerID: &worker, Outcome: workqueue.RunRunning, StartedAt: midnight.Add(6 * time.Hour)},
		{ID: 12, Pipeline: "nightly", Trigger: "cron", PlannedAt: &planned, WorkerID: &worker, Outcome: workqueue.RunFailed, FailedStep: new("copy"), Error: new("no file 17"), StartedAt: planned.Add(90 * time.Second)},
		{ID: 11, Pipeline: "nightly", Trigger: "cron", PlannedAt: &planned, WorkerID: &worker, Outcome: workqueue.RunSucceeded, StartedAt: planned.Add(5 * time.Minute)},
		{ID: 10, Pipeline: "nightly", Trigger: "backfill", PlannedAt: &planned, WorkerID: &worker, Outcome: workqueue.RunSucceeded, StartedAt: planned.Add(time.Hour)},
	}
	h.firings = []workqueue.Firing{
		{Schedule: "hourly", PlannedAt: midnight.Add(time.Hour), Outcome: workqueue.Missed, Reason: "no worker was running"},
		{Schedule: "hourly", PlannedAt: midnight, Outcome: workqueue.Missed, Reason: "no worker was running"},
	}
	h.requests = []workqueue.RunRequest{
		{Pipeline: "asked", State: workqueue.RequestExpired, By: "bob", At: midnight.Add(time.Hour)},
		{Pipeline: "asked", State: workqueue.RequestStarted, By: "bob", At: midnight.Add(time.Hour)},
	}
	for _, name := range []string{"above", "busy", "idle", "keys"} {
		s := workqueue.NewQueueStatistics(name, midnight, make([]time.Time, 4))
		if name != "idle" && name != "above" {
			s.Items[workqueue.LifePending] = 4211
			s.Waits(midnight.Add(3 * time.Hour))
		}
		h.stats = append(h.stats, s)
	}
	ten := workqueue.QueueLimits{Concurrency: 10, Rate: workqueue.Rate{Limit: 100, Per: workqueue.Duration(time.Minute)}}
	h.uses = []workqueue.LimitUse{
		{Queue: "above", Limits: ten, Use: workqueue.Use{Held: 12, Started: 12}},
		{Queue: "busy", Limits: ten, Use: workqueue.Use{Held: 10, Started: 50}},
		{Queue: "idle", Limits: ten, Use: workqueue.Use{Held: 10}},
		{Queue: "keys", Limits: workqueue.QueueLimits{KeyConcurrency: 1}, Keys: map[string]workqueue.Use{"a": {Held: 1}, "b": {}}},
	}
	return h
}

func TestGroups(t *testing.T) {
	r := night().make(t, Params{}, 1000)
	if len(r.Failures) != 2 || r.Gone == nil || *r.Gone != 1 || len(r.Bounds) > 0 {
		t.Fatalf("%d groups, %v of the day before are gone, bounds %q; want 2, 1 and none", len(r.Failures), r.Gone, r.Bounds)
	}
	g := r.Failures[0]
	if g.Pipeline != "load" || g.Step != "post" || g.Kind != workqueue.KindError || g.Message != "HTTP 503 from https://erp.example.test/<path>" {
		t.Errorf("the first group is %+v", g)
	}
	if g.Items != 3 || g.GivenUp != 2 || g.Attempts != 6 || g.ItemsBefore == nil || *g.ItemsBefore != 1 || g.Trend != TrendMore {
		t.Errorf("the first group counts %+v, before %v, trend %s; want 3 items, 2 given up, 6 attempts, 1 before, more", g.Counts, g.ItemsBefore, g.Trend)
	}
	if !slices.Equal(g.Samples, []int64{102, 101, 100}) || !g.First.Equal(midnight) || !g.Last.Equal(midnight.Add(150*time.Minute)) || !strings.HasSuffix(g.Example, "/orders/2") {
		t.Errorf("the first group has samples %v, from %s to %s, example %q", g.Samples, g.First, g.Last, g.Example)
	}
	if g := r.Failures[1]; g.Pipeline != "(inline)" || g.Trend != TrendNew || g.Items != 1 {
		t.Errorf("the second group is %+v", g)
	}
	if r.Failed.Items != 4 || r.Failed.GivenUp != 3 || r.Failed.Attempts != 7 || *r.Failed.ItemsBefore != 2 {
		t.Errorf("all failures count %+v", r.Failed)
	}
	if want := "4 items failed, 7 runs with problems, 2 workers lost, 3 queues at their limits"; r.Headline() != want {
		t.Errorf("headline %q, want %q", r.Headline(), want)
	}
	for _, c := range []struct {
		p    Params
		want int
	}{{Params{Queue: "other"}, 1}, {Params{Pipeline: "load"}, 1}, {Params{Queue: "other", Pipeline: "load"}, 0}} {
		if r := night().make(t, c.p, 1000); len(r.Failures) != c.want {
			t.Errorf("%+v: %d groups, want %d", c.p, len(r.Failures), c.want)
		}
	}
}

func TestUnknownQueue(t *testing.T) {
	b := builder{Params: Params{Queue: "nosuch", Since: midnight}, store: night(), most: 10}
	if _, err := b.make(t.Context()); !errors.Is(err, workqueue.ErrNotFound) || !strings.Contains(err.Error(), `"nosuch"`) {
		t.Errorf("a report of an unknown queue: %v", err)
	}
}

// Waiting items are counted only if a limit is used up.
func TestWaitingItemsAreCountedForLimits(t *testing.T) {
	h := night()
	h.uses = []workqueue.LimitUse{
		{Queue: "default", Limits: workqueue.QueueLimits{Concurrency: 10, KeyConcurrency: 2}, Use: workqueue.Use{Held: 9}, Keys: map[string]workqueue.Use{"a": {Held: 1}}},
	}
	if r := h.make(t, Params{}, 1000); len(r.Queues) > 0 || h.counts > 0 {
		t.Errorf("%d queues at their limits, statistics were read %d times", len(r.Queues), h.counts)
	}
	h.uses[0].Keys["a"] = workqueue.Use{Held: 2}
	h.stats[1].Queue = "default"
	if r := h.make(t, Params{}, 1000); len(r.Queues) != 1 || r.Queues[0].FullKeys != 1 || h.counts != 1 {
		t.Errorf("queues at their limits: %+v, statistics were read %d times", r.Queues, h.counts)
	}
}

func TestTrends(t *testing.T) {
	for _, c := range []struct {
		now, before int
		want        Trend
	}{{1, 0, TrendNew}, {2, 1, TrendMore}, {2, 2, TrendSame}, {1, 2, TrendLess}} {
		if got := trend(c.now, c.before); got != c.want {
			t.Errorf("trend(%d, %d) = %s, want %s", c.now, c.before, got, c.want)
		}
	}
}

// The day before is the same local time, and does not overlap.
func TestDayBefore(t *testing.T) {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ since, until, want string }{
		{"2026-01-30 18:00", "2026-01-31 07:00", "2026-01-29 18:00"},
		{"2026-03-29 00:30", "2026-03-29 07:00", "2026-03-28 00:30"}, // the clock goes forward at 1:00
		{"2026-01-30 07:00", "2026-01-31 07:00", "2026-01-29 07:00"},
		{"2026-01-25 00:00", "2026-01-31 07:00", "2026-01-18 00:00"},
	} {
		parse := func(text string) time.Time {
			at, err := time.ParseInLocation("2006-01-02 15:04", text, lisbon)
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
		p := Params{Since: parse(c.since).UTC(), Until: parse(c.until).UTC(), Zone: lisbon}
		since, until := p.dayBefore()
		if !since.Equal(parse(c.want)) || until.After(p.Since) {
			t.Errorf("before %s to %s: %s to %s, want it from %s", c.since, c.until, since, until, c.want)
		}
	}
}

// With too many failures the report says so, and compares nothing.
func TestBounds(t *testing.T) {
	h := night()
	for n := range 100 {
		h.fail(int64(1000+n), time.Duration(n)*time.Minute, n%2 == 0, workqueue.Failure{Pipeline: "mass", Kind: workqueue.KindError, Error: "x"})
	}
	r := h.make(t, Params{}, 40)
	if len(r.Bounds) != 3 || !strings.Contains(r.Bounds[0], "failed attempts: only the latest 40") || !strings.Contains(r.Bounds[1], "failed items: only the latest 40") ||
		!strings.Contains(r.Bounds[2], "too many failures to compare") {
		t.Errorf("bounds %q", r.Bounds)
	}
	for _, g := range r.Failures {
		if g.Trend != TrendUnknown || g.ItemsBefore != nil {
			t.Errorf("group %s: trend %s, want it unknown", g.Pipeline, g.Trend)
		}
	}
	if !slices.ContainsFunc(r.Failures, func(g Group) bool { return g.Pipeline == "(inline)" && g.GivenUp == 1 }) {
		t.Error("the queue with many failures hides the other one")
	}
	if r.Gone != nil || r.Failed.Attempts > 40 || h.pages > 6 {
		t.Errorf("gone %v, %d attempts in %d pages", r.Gone, r.Failed.Attempts, h.pages)
	}
	// The bound is reached only if there are more.
	if r := night().make(t, Params{}, 9); len(r.Bounds) > 0 {
		t.Errorf("bounds of a small night: %q", r.Bounds)
	}
}

func TestRunsWorkersAndQueues(t *testing.T) {
	r := night().make(t, Params{}, 1000)
	var got []string
	for _, run := range r.Runs {
		got = append(got, fmt.Sprintf("%s %s %d %v", run.Pipeline, run.Problem, run.Count, run.Samples))
	}
	want := []string{"asked expired 1 []", "hourly missed 2 []", "nightly late 2 [12 11]", "nightly failed 1 [12]", "nightly interrupted 1 [14]"}
	if !slices.Equal(got, want) {
		t.Errorf("runs %q, want %q", got, want)
	}
	if late := r.Runs[2]; *late.MaxDelayMs != (5*time.Minute).Milliseconds() || r.Runs[3].Message != "no file <n>" || r.Runs[3].Step != "copy" {
		t.Errorf("the delay is %d ms, the failure %+v", *late.MaxDelayMs, r.Runs[3])
	}
	if len(r.Workers) != 2 || r.Workers[0].Name != "ann" || r.Workers[0].Items != 1 || r.Workers[0].Gone || r.Workers[1].Name != "bob" || !r.Workers[1].Gone {
		t.Errorf("workers %+v", r.Workers)
	}
	got = nil
	for _, q := range r.Queues {
		got = append(got, q.Queue)
	}
	if !slices.Equal(got, []string{"above", "busy", "keys"}) {
		t.Errorf("queues %q", got)
	}
}

func TestText(t *testing.T) {
	h := night()
	h.fail(400, time.Hour, false, workqueue.Failure{Pipeline: strings.Repeat("long-", 30), Kind: workqueue.KindError, Error: strings.Repeat("some words and ", 30)})
	for n := range 30 {
		h.fail(int64(500+n), time.Hour, false, workqueue.Failure{Pipeline: fmt.Sprint("p-", string(rune('a'+n))), Kind: workqueue.KindError, Error: "x"})
	}
	r := h.make(t, Params{Queue: "default", Pipeline: ""}, 1000)
	text := r.Text()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > Width && strings.Contains(strings.TrimSpace(line), " ") && !strings.Contains(line, "long-") {
			t.Errorf("a line has %d characters: %s", n, line)
		}
		if strings.TrimRight(line, " \n") != strings.TrimRight(line, "\n") || strings.Contains(line, "\x1b") {
			t.Errorf("a line ends with blanks or has a color: %q", line)
		}
	}
	for _, want := range []string{
		"Botwork: 34 items failed", `Only queue "default".`, "load, step post: error", "more than the day before (1)", "12 more groups: botwork report --since",
		"hourly: 2 missed; Jan 31 00:00 to Jan 31 01:00; no worker was running", "nightly: 2 late, up to 5m0s", "ann on host-1: it is back; 1 item was taken from it",
		"bob on host-2: gone, last seen Jan 31 04:00", "busy: 10 of 10 run, 50 of 100 started in 1m; 4,211 items wait, the oldest", "1 limit key is full",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
	quiet := (&history{}).make(t, Params{}, 10)
	if want := "Botwork: nothing failed\n\nFrom 2026-01-30 18:00 +00:00 to 2026-01-31 07:00 +00:00.\n"; !quiet.Quiet() || quiet.Text() != want {
		t.Errorf("a quiet night is\n%q, want\n%q", quiet.Text(), want)
	}
	if _, err := Make(t.Context(), &history{}, Params{Since: midnight.Add(8 * time.Hour)}); err == nil {
		t.Error("a report that begins in the future is no error")
	}
}

// Failed items that were deleted since are counted in their groups, without their ids.
func TestDeletedFailures(t *testing.T) {
	h := night()
	remove := func(item int64, f workqueue.Failure) {
		text, err := json.Marshal(map[string]any{"state": 3, workqueue.AuditFailure: Deleted(&f)})
		if err != nil {
			t.Fatal(err)
		}
		h.deleted = append(h.deleted, workqueue.AuditItem{ID: int64(len(h.deleted) + 1), ItemID: item, Before: workqueue.JSONText(text)})
	}
	post := workqueue.Failure{Queue: "default", Pipeline: "load", Step: "post", Kind: workqueue.KindError, Error: `step "post" (HTTP): HTTP 503 from https://erp.example.test/orders/4711`, At: midnight.Add(time.Hour)}
	remove(400, post)
	remove(401, post)
	remove(102, post) // its attempts are still there
	early := post
	early.At = midnight.Add(-24 * time.Hour)
	remove(402, early)
	other := post
	other.Queue, other.Pipeline = "other", "send"
	remove(403, other)
	h.deleted = append(h.deleted, workqueue.AuditItem{ID: 6, ItemID: 404, Before: `{"state": 4}`}) // it had not failed

	r := h.make(t, Params{}, 1000)
	g := r.Failures[0]
	if g.Items != 5 || g.GivenUp != 5 || g.Deleted != 3 || *g.ItemsBefore != 2 || slices.Contains(g.Samples, 400) || len(r.Bounds) > 0 {
		t.Errorf("the group counts %+v, before %v, samples %v, bounds %q; want 5 items, all given up, 3 deleted, 2 before, no deleted one as a sample", g.Counts, *g.ItemsBefore, g.Samples, r.Bounds)
	}
	if r.Failed.Deleted != 4 || !strings.Contains(r.Text(), "4 items were deleted since.") {
		t.Errorf("all failures count %+v:\n%s", r.Failed, r.Text())
	}
	if r := h.make(t, Params{Queue: "default"}, 1000); r.Failed.Deleted != 3 {
		t.Errorf("%d of the queue were deleted, want 3", r.Failed.Deleted)
	}
	if r := h.make(t, Params{}, 3); !slices.ContainsFunc(r.Bounds, func(b string) bool { return strings.HasPrefix(b, "deleted items: ") }) {
		t.Errorf("bounds %q, want one of deleted items", r.Bounds)
	}
}

package storetest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/learned"
)

func durationTests() []test {
	return []test{
		{"nothing learned yet", durationNone},
		{"several batches give the same result as one", durationBatches},
		{"keys that differ in one letter are different", durationLetters},
		{"long and odd names", durationNames},
		{"listing and forgetting", durationList},
		{"rows edited by hand", durationHand},
		{"a pass reads only the most recent keys", durationLatest},
		{"a batch is learned completely or not at all", durationAllOrNone},
		{"concurrent processes lose no run", durationContend},
	}
}

// keyOf returns the key of a pipeline.
func keyOf(pipeline string) learned.Key {
	return learned.Key{Kind: learned.OfPipeline, Pipeline: pipeline}
}

// took returns runs of a key with these durations in seconds.
func took(k learned.Key, seconds ...float64) learned.Runs {
	r := learned.Runs{Key: k}
	for _, s := range seconds {
		r.Runs = append(r.Runs, learned.Run{Took: time.Duration(s * float64(time.Second))})
	}
	return r
}

func (x *fixture) learn(all ...learned.Runs) {
	x.Helper()
	if err := x.Store.Learn(x.ctx, all); err != nil {
		x.Fatal(err)
	}
}

func (x *fixture) durations(f learned.Filter) []learned.Duration {
	x.Helper()
	all, err := x.Store.Durations(x.ctx, f)
	if err != nil {
		x.Fatal(err)
	}
	return all
}

// learnedOf returns what the store has learned of a key.
func (x *fixture) learnedOf(k learned.Key) learned.Duration {
	x.Helper()
	for _, l := range x.durations(learned.Filter{}) {
		if l.Key == k {
			return l
		}
	}
	x.Fatalf("the store has learned nothing of %q", k)
	return learned.Duration{}
}

// wantLearned checks that the store has learned of a key what these runs alone
// would teach. The store rounds the weights of classes.
func (x *fixture) wantLearned(k learned.Key, runs ...learned.Runs) {
	x.Helper()
	var want learned.Duration
	for _, r := range runs {
		want.Learn(r)
	}
	got := x.learnedOf(k)
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }
	if got.Runs != want.Runs || !near(got.MeanMs, want.MeanMs) || !near(got.ErrorMs, want.ErrorMs) || got.P90() != want.P90() {
		x.Errorf("%q: %d runs, mean %v, error %v, p90 %s; want %d, %v, %v, %s", k,
			got.Runs, got.MeanMs, got.ErrorMs, got.P90(), want.Runs, want.MeanMs, want.ErrorMs, want.P90())
	}
	if got.UpdatedAt.IsZero() {
		x.Errorf("%q has no UpdatedAt", k)
	}
}

func durationNone(x *fixture) {
	x.learn()
	if all := x.durations(learned.Filter{}); len(all) != 0 {
		x.Errorf("durations = %v, want none", all)
	}
	if known, err := x.Store.Learned(x.ctx); err != nil || len(known) != 0 {
		x.Errorf("Learned = %v, %v, want nothing", known, err)
	}
	if n, err := x.Store.ForgetDurations(x.ctx, learned.Filter{}); err != nil || n != 0 {
		x.Errorf("ForgetDurations = %d, %v, want nothing", n, err)
	}
}

func durationBatches(x *fixture) {
	invoices, letters := keyOf("invoices"), keyOf("letters")
	task := learned.Key{Kind: learned.OfTask, Pipeline: "invoices", Name: "nightly"}
	first := took(invoices, 10, 20, 30)
	estimated := learned.Runs{Key: invoices, LeftOut: 5, Runs: []learned.Run{
		{Took: 7 * time.Second, Estimate: 9 * time.Second}, {Took: 1500 * time.Microsecond, Estimate: 10 * time.Second},
	}}
	quick := took(letters, 0.0002, 0.0004)
	x.learn(first, took(task, 5))
	x.wantLearned(invoices, first)
	x.wantLearned(task, took(task, 5))
	x.learn(quick, estimated)
	x.wantLearned(invoices, first, estimated)
	x.wantLearned(letters, quick)
	var many []learned.Runs
	for n := range 40 {
		many = append(many, took(invoices, float64(n*n%17), 60))
		x.learn(many[n])
	}
	x.wantLearned(invoices, append([]learned.Runs{first, estimated}, many...)...)

	known, err := x.Store.Learned(x.ctx)
	if err != nil || len(known) != 3 {
		x.Fatalf("Learned = %v, %v, want three keys", known, err)
	}
	l := x.learnedOf(invoices)
	got, p90 := known[invoices], l.P90()
	if got.Runs != l.Runs || got.Mean != l.Mean() || got.P90 < p90 || got.P90 >= p90+time.Millisecond { // rounded up
		x.Errorf("a pass uses %+v, want %d runs, %s and %s", got, l.Runs, l.Mean(), p90)
	}
	if known[letters].Mean != 300*time.Microsecond {
		x.Errorf("a pass uses %s, want 300µs", known[letters].Mean)
	}
}

func durationLetters(x *fixture) {
	keys := []learned.Key{keyOf("erp"), keyOf("ERP"), keyOf("érp")}
	for _, name := range []string{"a", "A", "á"} {
		keys = append(keys, learned.Key{Kind: learned.OfTask, Pipeline: "erp", Name: name},
			learned.Key{Kind: learned.OfKey, Pipeline: "erp", Name: name})
	}
	keys = append(keys, learned.Key{Kind: learned.OfTask, Name: "a"})
	for range 2 {
		var batch []learned.Runs
		for i, k := range keys {
			batch = append(batch, took(k, float64(i+1)))
		}
		x.learn(batch...)
	}
	known, err := x.Store.Learned(x.ctx)
	if err != nil || len(known) != len(keys) {
		x.Fatalf("Learned = %v, %v, want %d keys", known, err, len(keys))
	}
	for i, k := range keys {
		if got, want := known[k], time.Duration(i+1)*time.Second; got.Mean != want || got.Runs != 2 {
			x.Errorf("%q: %+v, want two runs of %s", k, got, want)
		}
	}
}

func durationNames(x *fixture) {
	profile := workqueue.Profile{KeySeparator: ":"}
	var batch []learned.Runs
	for _, text := range []string{"'; DROP TABLE \"BotDurations\"; --", `{"a": "b"`, "a\x00b\xff", strings.Repeat("ż", 500), strings.Repeat("😀", 250)} {
		for _, k := range learned.Keys("odd", text, text+":1", profile) {
			if k.Kind != learned.OfPipeline {
				batch = append(batch, took(k, 1))
			}
		}
	}
	x.learn(batch...)
	x.learn(batch...)
	known, err := x.Store.Learned(x.ctx)
	if err != nil || len(known) != len(batch) || len(batch) != 10 {
		x.Fatalf("Learned = %v, %v, want %d keys", known, err, len(batch))
	}
	for _, r := range batch {
		if known[r.Key].Runs != 2 {
			x.Errorf("%q: %+v, want two runs", r.Key, known[r.Key])
		}
	}
}

func durationList(x *fixture) {
	keys := []learned.Key{
		{Kind: learned.OfKey, Pipeline: "a", Name: "LIS"}, {Kind: learned.OfKey, Pipeline: "a", Name: "OPO"}, keyOf("a"),
		{Kind: learned.OfTask, Pipeline: "a", Name: "nightly"}, keyOf("b"), {Kind: learned.OfTask, Pipeline: "b", Name: "nightly"},
	}
	for _, k := range keys {
		x.learn(took(k, 1))
	}
	wantKeys := func(f learned.Filter, want ...int) {
		x.Helper()
		var got []int
		for _, l := range x.durations(f) {
			got = append(got, slices.Index(keys, l.Key))
		}
		if !slices.Equal(got, want) {
			x.Errorf("%+v lists %v, want %v", f, got, want)
		}
	}
	wantKeys(learned.Filter{}, 0, 1, 2, 3, 4, 5)
	wantKeys(learned.Filter{Limit: 2}, 0, 1)
	wantKeys(learned.Filter{Pipeline: "b"}, 4, 5)
	wantKeys(learned.Filter{Kind: learned.OfTask, Name: "nightly"}, 3, 5)
	wantKeys(learned.Filter{Name: "nothing"})
	for _, step := range []struct {
		filter learned.Filter
		n      int
		left   []int
	}{
		{learned.Filter{Kind: learned.OfKey, Pipeline: "a", Name: "LIS"}, 1, []int{1, 2, 3, 4, 5}},
		{learned.Filter{Pipeline: "unknown"}, 0, []int{1, 2, 3, 4, 5}},
		{learned.Filter{Pipeline: "a", Limit: 1}, 3, []int{4, 5}},
		{learned.Filter{}, 2, nil},
	} {
		if n, err := x.Store.ForgetDurations(x.ctx, step.filter); err != nil || n != step.n {
			x.Errorf("ForgetDurations(%+v) = %d, %v, want %d", step.filter, n, err, step.n)
		}
		wantKeys(learned.Filter{}, step.left...)
	}
	x.learn(took(keyOf("a"), 7))
	x.wantLearned(keyOf("a"), took(keyOf("a"), 7))
}

// A pass uses values that a user edited by hand; invalid values do no harm.
func durationHand(x *fixture) {
	p := keyOf("p")
	x.learn(took(p, 1, 1, 1))
	x.exec(1, `UPDATE "BotDurations" SET "MeanMs" = 60000, "Runs" = 100, "Histogram" = 'nonsense', "P90Ms" = -5`)
	known, err := x.Store.Learned(x.ctx)
	if want := (learned.Typical{Runs: 100, Mean: time.Minute}); err != nil || known[p] != want {
		x.Errorf("a pass uses %+v, %v, want %+v", known[p], err, want)
	}
	x.learn(took(p, 10))
	l := x.learnedOf(p)
	if l.Runs != 101 || l.Mean().Round(time.Microsecond) != 55*time.Second || l.P90().Round(time.Second) != 10*time.Second {
		x.Errorf("after 101 runs: %d, %s, %s, want 101, 55s, 10s", l.Runs, l.Mean(), l.P90())
	}
	if n := x.Exec(x.T, `INSERT INTO "BotDurations" ("KeyHash", "Kind", "Pipeline", "Name", "Runs", "MeanMs", "P90Ms", "ErrorMs", "Histogram")
		VALUES ('some hash', 'pipeline', 'by hand', '', 3, 5000, 6000, 0, '{}')`); n != 1 {
		x.Errorf("inserted %d rows by hand, want 1", n)
	}
	if known, err := x.Store.Learned(x.ctx); err != nil || known[keyOf("by hand")].Mean != 5*time.Second {
		x.Errorf("a pass uses %+v, %v, want 5s", known[keyOf("by hand")], err)
	}
}

func durationLatest(x *fixture) {
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	s := x.At(x.T, func() time.Time { return at })
	const batch = 2500
	for n := range 9 { // 22,500 keys, of which 20,000 are read
		var all []learned.Runs
		for i := range batch {
			all = append(all, took(keyOf(fmt.Sprintf("p%d-%d", n, i)), 1))
		}
		if err := s.Learn(x.ctx, all); err != nil {
			x.Fatal(err)
		}
		at = at.Add(time.Second)
	}
	known, err := s.Learned(x.ctx)
	if err != nil || len(known) != 20_000 {
		x.Fatalf("Learned = %d keys, %v, want 20,000", len(known), err)
	}
	for k := range known {
		if strings.HasPrefix(k.Pipeline, "p0-") {
			x.Fatalf("%q is among them, although other keys were learned later", k)
		}
	}
}

func durationAllOrNone(x *fixture) {
	bad := took(learned.Key{Kind: "nonsense", Pipeline: "p"}, 1)
	if err := x.Store.Learn(x.ctx, []learned.Runs{took(keyOf("p"), 1), bad}); err == nil {
		x.Error("a key of an unknown kind was learned")
	}
	if all := x.durations(learned.Filter{}); len(all) != 0 {
		x.Errorf("durations = %v, want none", all)
	}
}

// Several processes learn of the same keys, some of them new: all runs count.
func durationContend(x *fixture) {
	const processes, rounds = 4, 25
	keys := []learned.Key{keyOf("a"), keyOf("b"), {Kind: learned.OfTask, Pipeline: "a", Name: "t"}}
	var wg sync.WaitGroup
	for n := range processes {
		s := x.Another(x.T)
		wg.Go(func() {
			for round := range rounds {
				batch := []learned.Runs{took(keys[0], 1, 2), took(keys[1], 3), took(keys[2], 4), took(keyOf(fmt.Sprint("new-", round)), 5)}
				if n%2 == 1 {
					slices.Reverse(batch)
				}
				if err := s.Learn(x.ctx, batch); err != nil {
					x.Errorf("process %d, round %d: %v", n, round, err)
					return
				}
			}
		})
	}
	wg.Wait()
	for i, want := range []int64{2 * processes * rounds, processes * rounds, processes * rounds} {
		if got := x.learnedOf(keys[i]); got.Runs != want {
			x.Errorf("%q has %d runs, want %d", keys[i], got.Runs, want)
		}
	}
	for round := range rounds {
		if got := x.learnedOf(keyOf(fmt.Sprint("new-", round))); got.Runs != processes || got.Mean() != 5*time.Second {
			x.Errorf("%q has mean %s of %d runs, want 5s of %d", got.Key, got.Mean(), got.Runs, processes)
		}
	}
}

func housekeepDurations(x *fixture) {
	s := x.cleaned()
	for name, age := range map[string]time.Duration{
		"old": *days(200), "just": *days(90), "almost": *days(90) - time.Millisecond, "new": 0, "future": -*days(1),
	} {
		x.learn(took(keyOf(name), 1))
		x.exec(1, `UPDATE "BotDurations" SET "UpdatedAt" = %s WHERE "Pipeline" = '%s'`, ago(age), name)
	}
	for _, want := range []int{1, 1, 0} { // bounded, the oldest first
		n, err := s.RemoveDurations(x.ctx, *days(90), 1)
		x.wantRemoved(n, err, want)
		if want == 1 && n == 1 && len(x.durations(learned.Filter{Pipeline: "old"})) != 0 {
			x.Error("the oldest still exists")
		}
	}
	var left []string
	for _, l := range x.durations(learned.Filter{}) {
		left = append(left, l.Pipeline)
	}
	slices.SortFunc(left, cmp.Compare[string])
	if want := []string{"almost", "future", "new"}; !slices.Equal(left, want) {
		x.Errorf("remaining durations are %q, want %q", left, want)
	}
}

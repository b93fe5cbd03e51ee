package assign

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"botwork/internal/testgroup"
	"botwork/workqueue"

	godiff "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestLimiter(t *testing.T) {
	l := workqueue.NewLimiter([]workqueue.LimitUse{
		{Queue: "both", Limits: workqueue.QueueLimits{Concurrency: 3, KeyConcurrency: 2}, Use: workqueue.Use{Held: 1}, Keys: map[string]workqueue.Use{"a": {Held: 1}}},
		{Queue: "rate", Limits: workqueue.QueueLimits{Rate: workqueue.Rate{Limit: 2, Per: 1}, KeyRate: workqueue.Rate{Limit: 1, Per: 1}}, Keys: map[string]workqueue.Use{"old": {Started: 1}}},
		{Queue: "above", Limits: workqueue.QueueLimits{Concurrency: 1}, Use: workqueue.Use{Held: 5}},
	})
	for _, step := range []struct {
		queue, key string
		allowed    bool
	}{
		{"unknown", "a", true},
		{"", "", true},
		{"above", "", false},
		{"both", "a", true},
		{"both", "a", false}, // two of the key
		{"both", "", true},
		{"both", "b", false}, // three of the queue
		{"rate", "old", false},
		{"rate", "new", true},
		{"rate", "new", false},
		{"rate", "", true}, // no key, no limit of a key
		{"rate", "", false},
	} {
		if got := l.Allows(step.queue, step.key); got != step.allowed {
			t.Fatalf("Allows(%q, %q) = %t, want %t", step.queue, step.key, got, step.allowed)
		}
		if step.allowed {
			l.Take(step.queue, step.key)
		}
	}
	want := workqueue.Full{
		Queues: []string{"above", "both", "rate"},
		Keys:   []workqueue.LimitKey{{Queue: "rate", Key: "old"}, {Queue: "both", Key: "a"}, {Queue: "rate", Key: "new"}},
	}
	if diff := godiff.Diff(want, l.Full()); diff != "" {
		t.Errorf("what is full: -want +got\n%s", diff)
	}
}

// limitMemory is an assignMemory with limits.
type limitMemory struct {
	assignMemory
	uses  []workqueue.LimitUse
	asked int // for the limits
}

func (m *limitMemory) AssignAndClaim(context.Context, []workqueue.Assignment, workqueue.PassClaim) ([]workqueue.Item, error) {
	return nil, errors.New("nothing of a queue with limits is taken")
}

func (m *limitMemory) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return read(ctx, m)
}

func (m *limitMemory) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	return pass(ctx, m)
}

func (m *limitMemory) Limits(context.Context) ([]workqueue.LimitUse, error) {
	m.asked++
	uses := slices.Clone(m.uses)
	for i := range uses {
		uses[i].Keys = maps.Clone(uses[i].Keys)
	}
	return uses, nil
}

func (m *limitMemory) DueItems(ctx context.Context, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	all, err := m.assignMemory.DueItems(ctx, band, workqueue.Full{}, len(m.items))
	left := slices.DeleteFunc(all, func(d workqueue.DueItem) bool {
		return slices.Contains(full.Queues, d.Queue) || slices.Contains(full.Keys, workqueue.LimitKey{Queue: d.Queue, Key: d.LimitKey})
	})
	return left[:min(limit, len(left))], err
}

func drawLimits(t *rapid.T) []workqueue.LimitUse {
	limit := func(what string) int { return rapid.SampledFrom([]int{0, 0, 1, 3, 40}).Draw(t, what) }
	use := func() workqueue.Use {
		return workqueue.Use{Held: rapid.IntRange(0, 4).Draw(t, "held"), Started: rapid.IntRange(0, 4).Draw(t, "started")}
	}
	var uses []workqueue.LimitUse
	for _, queue := range []string{"erp", "crm"} {
		u := workqueue.LimitUse{Queue: queue, Use: use(), Keys: map[string]workqueue.Use{"a": use()}, Limits: workqueue.QueueLimits{
			Concurrency: limit("concurrency"), KeyConcurrency: limit("key concurrency"),
			Rate: workqueue.Rate{Limit: limit("rate"), Per: 1}, KeyRate: workqueue.Rate{Limit: limit("key rate"), Per: 1},
		}}
		uses = append(uses, u)
	}
	return uses
}

// A pass gives out as much as the limits and the workers allow, and no more; and
// no item that could have been given waits while one of lower priority is.
func TestAssignPassKeepsLimits(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		m := &limitMemory{uses: drawLimits(t)}
		m.loads, m.given, m.busy = drawLoads(t, false), map[int64]int64{}, map[int64]bool{}
		// Often no item of a whole page can be assigned, but an item on a later page can.
		queues := rapid.SampledFrom([][]string{{"erp"}, {"erp", "crm"}, {"erp", "crm", ""}}).Draw(t, "queues")
		n := rapid.IntRange(0, 300).Draw(t, "items")
		for i := range n {
			it := workqueue.DueItem{
				ID: int64(i + 1), Priority: rapid.IntRange(-1, 1).Draw(t, "priority"),
				Queue:    rapid.SampledFrom(queues).Draw(t, "queue"),
				LimitKey: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "key"),
			}
			if i > n-5 {
				it.Queue, it.Priority = "", -2
			}
			m.items = append(m.items, it)
		}
		slices.SortStableFunc(m.items, func(a, b workqueue.DueItem) int { return cmp.Compare(b.Priority, a.Priority) })
		p := AssignParams{
			Workers: AvailableWorkers, Horizon: 1000 * minute, DefaultEstimate: minute,
			MaxPerWorker: rapid.SampledFrom([]int{10_000, 70, 7}).Draw(t, "maxPerWorker"),
		}
		room := p.MaxPerWorker * len(m.loads)
		result, err := AssignPass(context.Background(), m, p)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.twice) > 0 {
			t.Fatalf("items %v were given twice", m.twice)
		}
		judge := map[string]*workqueue.LimitUse{}
		for i := range m.uses {
			judge[m.uses[i].Queue] = &m.uses[i]
		}
		allows := func(it workqueue.DueItem, more int) bool {
			u := judge[it.Queue]
			if u == nil {
				return true
			}
			fits := func(limit, used int) bool { return limit == 0 || used+more <= limit }
			key := u.Keys[it.LimitKey]
			return fits(u.Limits.Concurrency, u.Use.Held) && fits(u.Limits.Rate.Limit, u.Use.Started) &&
				(it.LimitKey == "" || fits(u.Limits.KeyConcurrency, key.Held) && fits(u.Limits.KeyRate.Limit, key.Started))
		}
		limited := false
		for _, it := range m.items {
			limited = limited || it.Queue != ""
			if _, given := m.given[it.ID]; !given {
				continue
			}
			if u := judge[it.Queue]; u != nil {
				u.Use = workqueue.Use{Held: u.Use.Held + 1, Started: u.Use.Started + 1}
				if key := u.Keys[it.LimitKey]; it.LimitKey != "" {
					u.Keys[it.LimitKey] = workqueue.Use{Held: key.Held + 1, Started: key.Started + 1}
				}
			}
			if !allows(it, 0) {
				t.Fatalf("item %d of queue %q and key %q was given beyond a limit: %+v", it.ID, it.Queue, it.LimitKey, *judge[it.Queue])
			}
		}
		// Limits only fill during a pass: what fits in the end fitted all the time.
		waits := false
		for _, it := range m.items {
			_, given := m.given[it.ID]
			switch {
			case !given && allows(it, 1):
				waits = true
			case given && waits:
				t.Fatalf("item %d of priority %d was given, a more urgent one that fits was not (invariant 4)", it.ID, it.Priority)
			}
		}
		if waits && result.Assigned < room {
			t.Fatalf("%d items were given, workers have room for %d, and one that fits waits", result.Assigned, room)
		}
		if !limited && m.asked > 0 || m.asked > 1 {
			t.Fatalf("the limits were asked for %d times (items of such queues: %t)", m.asked, limited)
		}
	})
}

func TestLimiterPace(t *testing.T) {
	rate := func(limit int, per time.Duration) workqueue.Rate {
		return workqueue.Rate{Limit: limit, Per: workqueue.Duration(per)}
	}
	full := workqueue.Use{Held: 1, Started: 10}
	l := workqueue.NewLimiter([]workqueue.LimitUse{
		{Queue: "minute", Limits: workqueue.QueueLimits{Rate: rate(10, time.Minute)}, Use: full},
		{Queue: "day", Limits: workqueue.QueueLimits{Rate: rate(1, 24*time.Hour)}, Use: full},
		{Queue: "often", Limits: workqueue.QueueLimits{Rate: rate(10, time.Millisecond)}, Use: full},
		{Queue: "busy", Limits: workqueue.QueueLimits{Rate: rate(10, time.Minute), Concurrency: 1}, Use: full},
		{Queue: "free", Limits: workqueue.QueueLimits{Rate: rate(11, time.Minute)}, Use: full},
		{Queue: "keys", Limits: workqueue.QueueLimits{Rate: rate(10, time.Minute), KeyRate: rate(1, 9*time.Second), KeyConcurrency: 2}, Use: full,
			Keys: map[string]workqueue.Use{"a": full, "busy": {Held: 2, Started: 1}}},
	})
	for _, c := range []struct {
		queue, key string
		want       time.Duration
	}{
		{"minute", "", 6 * time.Second},
		{"day", "", 10 * time.Second},
		{"often", "", time.Second},
		{"busy", "", 0}, // the end of a run makes room
		{"free", "", 0},
		{"unknown", "", 0},
		{"keys", "", 6 * time.Second},
		{"keys", "a", 9 * time.Second}, // both rates stand against it
		{"keys", "busy", 0},
	} {
		if got := l.Pace(c.queue, c.key); got != c.want {
			t.Errorf("Pace(%q, %q) = %s, want %s", c.queue, c.key, got, c.want)
		}
	}
}

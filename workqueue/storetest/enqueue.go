package storetest

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

func enqueueTests() []test {
	return []test{
		{"nothing", enqueueNothing},
		{"defaults", enqueueDefaults},
		{"every field is kept", enqueueFields},
		{"thousands in one call", enqueueMany},
		{"equal and different items in one call", enqueueAlike},
		{"an unknown queue refuses the whole call", enqueueUnknownQueue},
		{"texts are stored unchanged", enqueueTexts},
		{"a character that an engine cannot store does no harm", enqueueUnstorable},
		{"the whole range of priorities", enqueuePriorities},
		{"when it becomes due", enqueueDue},
		{"the deadline", enqueueDeadline},
		{"labels and selectors are stored, and cloned", enqueueLabels},
		{"a retry as a copy keeps labels and selectors", copyKeepsLabels},
		{"invalid labels and selectors", refuseLabels},
	}
}

func enqueueNothing(x *fixture) {
	if made, err := x.Store.Enqueue(x.ctx, nil); err != nil || len(made) != 0 {
		x.Errorf("Enqueue of nothing = %v, %v, want nothing", made, err)
	}
}

func enqueueDefaults(x *fixture) {
	made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{{State: workqueue.Pending, Priority: workqueue.RequestPriority, IntegrationConfig: "Invoice"}})
	if err != nil || len(made) != 1 {
		x.Fatalf("Enqueue = %v, %v, want one id", made, err)
	}
	got := x.show(made[0].ID)
	x.wantClean("CreatedAt", &got.CreatedAt)
	want := workqueue.Item{
		ID: made[0].ID, QueueName: workqueue.DefaultQueue, State: workqueue.Pending, Lifecycle: workqueue.LifePending, Priority: 1000, IntegrationConfig: "Invoice",
		IdempotencyKey: got.IdempotencyKey, Version: 1, CreatedAt: got.CreatedAt, AvailableAt: got.CreatedAt, // due at once
	}
	if asJSON(got) != asJSON(want) {
		x.Errorf("the item is\n     %s\nwant %s", asJSON(got), asJSON(want))
	}
}

func enqueueFields(x *fixture) {
	x.exec(1, `INSERT INTO "BotQueues" ("Name") VALUES ('mail')`)
	at := time.Date(2031, 5, 6, 7, 8, 9, 123456789, time.FixedZone("", 2*3600))
	made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{{
		QueueName: "mail", State: workqueue.Ready, Priority: 7, IntegrationConfig: "{\"steps\": []}", Payload: `{"a":[1,2]}`,
		Estimate: 1500*time.Millisecond + time.Microsecond, ResilienceConfig: `{"limit":2}`, At: at, Deadline: at.Add(time.Hour), CreatedBy: "ann",
	}})
	if err != nil {
		x.Fatal(err)
	}
	got := x.show(made[0].ID)
	toMs := at.UTC().Truncate(time.Millisecond)
	deadline, estimate, by := toMs.Add(time.Hour), int64(1501), "ann"
	want := workqueue.Item{
		ID: made[0].ID, QueueName: "mail", State: workqueue.Ready, Lifecycle: workqueue.LifeScheduled, Priority: 7, IntegrationConfig: "{\"steps\": []}", Payload: `{"a":[1,2]}`,
		EstimatedDurationMs: &estimate, ResilienceConfig: `{"limit":2}`, AvailableAt: toMs, DeadlineAt: &deadline,
		IdempotencyKey: got.IdempotencyKey, Version: 1, CreatedAt: got.CreatedAt, CreatedBy: &by,
	}
	if asJSON(got) != asJSON(want) {
		x.Errorf("the item is\n     %s\nwant %s", asJSON(got), asJSON(want))
	}
}

func enqueueMany(x *fixture) {
	const n = 2500
	ids := x.Items(n, ItemOpts{})
	if len(ids) != n || !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != n {
		x.Errorf("%d ids, sorted %t, want %d different ones in ascending order", len(ids), slices.IsSorted(ids), n)
	}
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Limit: n + 1})
	if err != nil || len(items) != n {
		x.Errorf("%d items exist (error %v), want %d", len(items), err, n)
	}
}

func enqueueUnknownQueue(x *fixture) {
	for _, n := range []int{1, 2500} {
		batch := make([]workqueue.NewItem, n)
		for i := range batch {
			batch[i] = workqueue.NewItem{IntegrationConfig: Pipeline}
		}
		batch[n-1].QueueName = "nowhere"
		_, err := x.Store.Enqueue(x.ctx, batch)
		var unknown *workqueue.UnknownQueueError
		if !errors.As(err, &unknown) || unknown.Queue != "nowhere" || !slices.Equal(unknown.Known, []string{"default"}) {
			x.Errorf("Enqueue of %d items, the last of them to an unknown queue: %v, want *UnknownQueueError with queue and known queues", n, err)
		}
	}
	if items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{}); err != nil || len(items) != 0 {
		x.Errorf("%d items were inserted (error %v), want none", len(items), err)
	}
}

func enqueueTexts(x *fixture) {
	for _, text := range []string{
		`{"name": "Grüße, Ωμέγα, 你好, السلام"}`,
		`{"emoji": "👩‍👩‍👧‍👦🏳️‍🌈", "quotes": "it's \"so\" \\ and \\u0000"}`,
		`{"sql": "'; DROP TABLE x; -- @now ? $1 @p1 :name %s"}`,
		"line 1\r\nline 2\ttab\u2028separator",
		`{"long": "` + strings.Repeat("a long payload 🚀 ", 52_000) + `"}`,
	} {
		made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{{IntegrationConfig: text, Payload: workqueue.JSONText(text)}})
		if err != nil {
			x.Errorf("Enqueue of %.60q: %v", text, err)
			continue
		}
		if got := x.show(made[0].ID); got.IntegrationConfig != text || got.Payload != workqueue.JSONText(text) {
			x.Errorf("%.60q was stored as config %.60q and payload %.60q", text, got.IntegrationConfig, got.Payload)
		}
	}
}

// Some engines reject text with invalid UTF-8. It must not make the call fail, nor be cut
// off. NUL is refused: if it were replaced with U+FFFD, two different keys could be equal.
func enqueueUnstorable(x *fixture) {
	made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{
		{IntegrationConfig: "head\xfftail", Payload: "head\xfftail", CreatedBy: strings.Repeat("é", 300)},
		{IntegrationConfig: Pipeline},
	})
	if err != nil || len(made) != 2 {
		x.Fatalf("Enqueue = %v, %v, want two ids", made, err)
	}
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{})
	if err != nil {
		x.Fatal(err)
	}
	for _, it := range items {
		if it.IntegrationConfig != Pipeline && (it.IntegrationConfig != "head\uFFFDtail" || it.Payload != "head\uFFFDtail") {
			x.Errorf("stored config %q and payload %q, want U+FFFD for each invalid byte", it.IntegrationConfig, it.Payload)
		}
	}
	for _, it := range []workqueue.NewItem{
		{IntegrationConfig: "head\x00tail"}, {IntegrationConfig: Pipeline, NaturalKey: "a\x00"}, {IntegrationConfig: Pipeline, Payload: `"\u0000"`},
	} {
		var bad *workqueue.BadItemError
		if _, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{it}); !errors.As(err, &bad) {
			x.Errorf("Enqueue of %q with a NUL: %v, want *BadItemError", it.IntegrationConfig, err)
		}
	}
}

func enqueuePriorities(x *fixture) {
	var batch []workqueue.NewItem
	for _, p := range []int{math.MinInt32, -1, 0, 1, math.MaxInt32} {
		batch = append(batch, workqueue.NewItem{Priority: p, IntegrationConfig: Pipeline})
	}
	if _, err := x.Store.Enqueue(x.ctx, batch); err != nil {
		x.Fatal(err)
	}
	var got []int
	for _, id := range x.due(workqueue.EveryPriority, 10) {
		got = append(got, x.show(id).Priority)
	}
	if want := []int{math.MaxInt32, 1, 0, -1, math.MinInt32}; !slices.Equal(got, want) {
		x.Errorf("priorities of the due items = %v, want %v", got, want)
	}
}

func enqueueDue(x *fixture) {
	at := time.Date(2090, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	for _, c := range []struct {
		name string
		item workqueue.NewItem
		want func(it workqueue.Item) time.Time
	}{
		{"neither", workqueue.NewItem{}, func(it workqueue.Item) time.Time { return it.CreatedAt }},
		{"at", workqueue.NewItem{At: at}, func(workqueue.Item) time.Time { return at }},
		{"at in the past", workqueue.NewItem{At: at.AddDate(-80, 0, 0)}, func(workqueue.Item) time.Time { return at.AddDate(-80, 0, 0) }},
		{"in", workqueue.NewItem{In: 90*time.Minute + 250*time.Millisecond}, func(it workqueue.Item) time.Time {
			return it.CreatedAt.Add(90*time.Minute + 250*time.Millisecond)
		}},
		{"both: at wins", workqueue.NewItem{At: at, In: time.Minute}, func(workqueue.Item) time.Time { return at }},
	} {
		c.item.IntegrationConfig = Pipeline
		made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{c.item})
		if err != nil {
			x.Fatal(err)
		}
		got := x.show(made[0].ID)
		if want := c.want(got); !got.AvailableAt.Equal(want) {
			x.Errorf("%s: AvailableAt = %s, want %s", c.name, got.AvailableAt, want)
		}
	}
	// The longest duration must not overflow into the past, nor into an error.
	made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{{IntegrationConfig: Pipeline, In: math.MaxInt64}})
	if err != nil {
		x.Fatal(err)
	}
	if got := x.show(made[0].ID); got.AvailableAt.Before(got.CreatedAt.AddDate(60, 0, 0)) {
		x.Errorf("in %s: AvailableAt = %s, want it in the far future", time.Duration(math.MaxInt64), got.AvailableAt)
	}
}

func enqueueDeadline(x *fixture) {
	at := time.Date(2090, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	for _, c := range []struct {
		name string
		item workqueue.NewItem
		want func(it workqueue.Item) time.Time // zero: none
	}{
		{"none", workqueue.NewItem{}, func(workqueue.Item) time.Time { return time.Time{} }},
		{"a time", workqueue.NewItem{Deadline: at}, func(workqueue.Item) time.Time { return at }},
		{"a duration", workqueue.NewItem{DeadlineIn: 90*time.Minute + 250*time.Millisecond}, func(it workqueue.Item) time.Time {
			return it.CreatedAt.Add(90*time.Minute + 250*time.Millisecond)
		}},
		{"a duration counts from now, not from the due time", workqueue.NewItem{In: time.Hour, DeadlineIn: time.Hour}, func(it workqueue.Item) time.Time {
			return it.CreatedAt.Add(time.Hour)
		}},
		{"both: the time wins", workqueue.NewItem{Deadline: at, DeadlineIn: time.Minute}, func(workqueue.Item) time.Time { return at }},
	} {
		c.item.IntegrationConfig = Pipeline
		made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{c.item})
		if err != nil {
			x.Fatal(err)
		}
		var got time.Time
		it := x.show(made[0].ID)
		if it.DeadlineAt != nil {
			got = *it.DeadlineAt
		}
		if want := c.want(it); !got.Equal(want) {
			x.Errorf("%s: DeadlineAt = %s, want %s", c.name, got, want)
		}
	}
}

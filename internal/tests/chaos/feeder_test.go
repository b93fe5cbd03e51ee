//go:build unix

package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"botwork/workqueue"
)

// backlog limits the waiting items. Otherwise the backlog of a cluster with mostly dead
// or suspended processes would grow without limit.
const backlog = 300

// order is what an item must do. Its JSON form is the item's payload.
type order struct {
	// Number identifies the order. The feeder assigns it, because the database's ids
	// are part of what is tested.
	Number int `json:"number"`

	// For is the duration of a run, as text: "120ms".
	For string `json:"for"`

	// Failures is how many attempts fail by design. If it is the limit, the
	// item must be cancelled.
	Failures int `json:"failures"`

	// Resume gives the item a pipeline with `resume`. For is then the duration of each of its steps.
	Resume bool `json:"resume,omitempty"`
}

// pipeline returns the pipeline of the order's item: of the others, one in three runs a program.
func (o order) pipeline() string {
	switch {
	case o.Resume:
		return "resume"
	case o.Number%3 == 2:
		return "program"
	}
	return "work"
}

func (o order) payload() workqueue.JSONText {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // of two numbers and a text
	}
	return workqueue.JSONText(text)
}

// feeder enqueues items, through the store and with the program.
type feeder struct {
	c    *cluster
	seed uint64

	mu          sync.Mutex
	numbers     int
	confirmed   map[int]order // the queue has confirmed these orders
	unconfirmed map[int]order // the call failed: the queue may have these orders or not
	byStore     int
}

func newFeeder(c *cluster, seed uint64) *feeder {
	return &feeder{c: c, seed: seed, confirmed: map[int]order{}, unconfirmed: map[int]order{}}
}

// draw makes some orders: most of them short, some that fail in their first
// attempts, a few that take longer than a lease.
func (f *feeder) draw(r *rand.Rand, most int) []order {
	f.mu.Lock()
	defer f.mu.Unlock()
	orders := make([]order, 1+r.IntN(most))
	for i := range orders {
		o := order{Number: f.numbers + i, For: fmt.Sprintf("%dms", 20+r.IntN(280))}
		o.Resume = o.Number%4 == 3
		switch n := r.IntN(100); {
		case n < 10:
			o.Failures = 1
		case n < 16:
			o.Failures = attempts - 1
		case n < 18:
			o.Failures = attempts
		}
		// Some of the first orders are long, so that a short test has long items.
		if o.Number%120 < 2 {
			o.For = fmt.Sprint(*lease + time.Duration(r.Int64N(int64(*lease/2))))
		}
		// Many of the programs are running when their worker is ended by force, a
		// second after it was asked to drain.
		if o.pipeline() == "program" && r.IntN(2) == 0 {
			o.For = fmt.Sprintf("%dms", 500+r.IntN(2500))
		}
		orders[i] = o
	}
	f.numbers += len(orders)
	return orders
}

// priority draws one: most are medium, some high, some low.
func priority(r *rand.Rand) int {
	return []int{workqueue.RequestPriority, workqueue.RequestPriority, 700, 1500, 300}[r.IntN(5)]
}

// record records the orders of a call as confirmed or not.
func (f *feeder) record(orders []order, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	to := f.confirmed
	if err != nil {
		to = f.unconfirmed
	}
	for _, o := range orders {
		to[o.Number] = o
	}
}

// callStore enqueues through the store, about ten items a second.
func (f *feeder) callStore(ctx context.Context) {
	r := rand.New(rand.NewPCG(f.seed, 2))
	f.each(ctx, 250*time.Millisecond, func() {
		orders := f.draw(r, 6)
		items := make([]workqueue.NewItem, len(orders))
		for i, o := range orders {
			items[i] = workqueue.NewItem{
				State: workqueue.Pending, Priority: priority(r), IntegrationConfig: o.pipeline(), Payload: o.payload(),
			}
		}
		// Not ctx: when it ends, the last call must still get its answer.
		patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), *patience)
		defer cancel()
		_, err := f.c.store.Enqueue(patient, items)
		f.record(orders, err)
		if err != nil {
			f.c.Logf("the store did not accept %d items: %v", len(orders), err)
			return
		}
		f.mu.Lock()
		f.byStore += len(orders)
		f.mu.Unlock()
	})
}

// callProgram enqueues with `botwork enqueue -`, some items every two seconds.
func (f *feeder) callProgram(ctx context.Context) {
	r := rand.New(rand.NewPCG(f.seed, 3))
	f.each(ctx, 2*time.Second, func() {
		orders := f.draw(r, 12)
		var lines bytes.Buffer
		for _, o := range orders {
			line := map[string]any{"pipeline": o.pipeline(), "priority": priority(r), "payload": o}
			if err := json.NewEncoder(&lines).Encode(line); err != nil {
				f.c.Error(err)
			}
		}
		cmd := f.c.command(nil, "enqueue", "-")
		var output bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = &lines, &output, &output
		patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), *patience)
		defer cancel()
		err := runWithin(patient, cmd)
		f.record(orders, err)
		if err != nil {
			f.c.Logf("botwork enqueue did not accept %d items: %v\n%s", len(orders), err, &output)
		}
	})
}

// each calls do repeatedly while the backlog is not too long.
func (f *feeder) each(ctx context.Context, every time.Duration, do func()) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if ctx.Err() == nil && f.open(ctx) < backlog {
			do()
		}
	}
}

// waiting lists items that are not finished.
func (f *feeder) waiting(ctx context.Context, limit int) ([]workqueue.Item, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return f.c.store.Items(ctx, workqueue.ItemFilter{
		States: []workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Assigned, workqueue.Blocked}, Limit: limit,
	})
}

// open counts the items that are not finished, up to the backlog. If the
// database does not answer, it returns the backlog.
func (f *feeder) open(ctx context.Context) int {
	items, err := f.waiting(ctx, backlog)
	if err != nil {
		f.c.Logf("the open items cannot be counted: %v", err)
		return backlog
	}
	return len(items)
}

// openItems describes some unfinished items.
func (f *feeder) openItems(ctx context.Context) string {
	items, err := f.waiting(ctx, 3)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, it := range items {
		text, err := json.Marshal(it)
		fmt.Fprintln(&b, string(text), err)
	}
	return b.String()
}

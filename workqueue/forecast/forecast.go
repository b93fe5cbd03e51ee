package forecast

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"botwork/workqueue/assign"
)

// Params say what to forecast.
type Params struct {
	// Histories is how many are drawn; 0: DefaultHistories.
	Histories int

	// Seed determines all draws.
	Seed uint64

	// Until is the end of the forecast; zero: a day, or longer if the present items take longer.
	Until time.Time

	// Change is a what-if.
	Change Change
}

// The bounds of a forecast.
const (
	DefaultHistories = 200
	MostHistories    = 2000

	// Longest bounds the time of a forecast; an instant holds 49 days.
	Longest = 45 * 24 * time.Hour

	// usual is how far a forecast looks without Params.Until.
	usual = 24 * time.Hour

	// exactPasses is how many passes that do not only fill free slots are made by the code of passes, in
	// all histories together. With more, a forecast of such pipelines would take minutes.
	exactPasses = 20_000
)

// Validate returns an error that says what is wrong.
func (p *Params) Validate(now time.Time) error {
	var errs []error
	if p.Histories < 0 || p.Histories > MostHistories {
		errs = append(errs, fmt.Errorf("histories: got %d, want 1 to %d", p.Histories, MostHistories))
	}
	if !p.Until.IsZero() && !p.Until.After(now) {
		errs = append(errs, fmt.Errorf("until: got %s, want a time after now, %s", p.Until.Format(time.RFC3339), now.Format(time.RFC3339)))
	}
	if p.Until.Sub(now) > Longest {
		errs = append(errs, fmt.Errorf("until: got %s, want at most %d days from now", p.Until.Format(time.RFC3339), int(Longest/(24*time.Hour))))
	}
	return errors.Join(errs...)
}

// outcome is what happened in all histories of a variant.
type outcome struct {
	*prepared

	n          int
	start, end [][]instant // by history, of each item
	empty      [][]instant // by history, of each group
	expired    []int32
	busy       [][]float64
	used       []usage // by history; nil if these would be very many
	arrived    []int
}

// run simulates the histories, on all cores.
func (p *prepared) run(ctx context.Context, n int, seed uint64) (*outcome, error) {
	hours := int((p.until + time.Hour - 1) / time.Hour)
	o := &outcome{prepared: p, n: n, start: make([][]instant, n), end: make([][]instant, n), empty: make([][]instant, n), expired: make([]int32, len(p.s.Items)), arrived: make([]int, len(p.sources))}
	for range p.s.Workers {
		o.busy = append(o.busy, make([]float64, hours))
	}
	o.used = newUsages(n, len(p.s.Workers), hours)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			m, c, d := p.s.NewSimulation(), newCollector(p, hours), newDraws(p)
			m.Until, m.Exact = p.until, max(exactPasses/n, 1)
			for {
				h := int(next.Add(1)) - 1
				if h >= n {
					break
				}
				o.start[h], o.end[h], o.empty[h] = make([]instant, len(p.s.Items)), make([]instant, len(p.s.Items)), make([]instant, len(p.groups))
				var used usage
				if o.used != nil {
					used = o.used[h]
				}
				c.begin(o.start[h], o.end[h], o.empty[h], used)
				d.begin(seed, h)
				if err := m.Run(ctx, d, c); err != nil {
					cancel(err)
					return
				}
				c.finish(p.until)
			}
			mu.Lock()
			defer mu.Unlock()
			o.add(c)
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return o, nil
}

// add adds what one collector has counted.
func (o *outcome) add(c *collector) {
	for i, n := range c.expired {
		o.expired[i] += n
	}
	for s, n := range c.arrived {
		o.arrived[s] += n
	}
	for w := range c.busy {
		for hour, used := range c.busy[w] {
			o.busy[w][hour] += used
		}
	}
}

// Make forecasts a variant of the present.
func (r *Present) Make(ctx context.Context, p Params) (*Forecast, error) {
	if err := p.Validate(r.situation.At); err != nil {
		return nil, err
	}
	if p.Histories == 0 {
		p.Histories = DefaultHistories
	}
	expected, end, err := r.expect(ctx, &p.Change)
	if err != nil {
		return nil, err
	}
	until := p.Until.Sub(r.situation.At)
	if p.Until.IsZero() {
		until = min(max(usual, end+end/2), Longest)
	}
	variant, err := r.prepare(ctx, &p.Change, until, true)
	if err != nil {
		return nil, err
	}
	o, err := variant.run(ctx, p.Histories, p.Seed)
	if err != nil {
		return nil, err
	}
	return r.result(o, &p, expected), nil
}

// expect simulates the history in which all durations are as expected and nothing arrives, as
// `items why` does. It returns when each item starts, and when the last one ends.
func (r *Present) expect(ctx context.Context, c *Change) (starts map[int64]time.Duration, end time.Duration, err error) {
	p, err := r.prepare(ctx, c, Longest, false)
	if err != nil {
		return nil, 0, err
	}
	w := &expectations{p: p, starts: make(map[int64]time.Duration, len(p.s.Items))}
	m := p.s.NewSimulation()
	m.Until = Longest
	err = m.Run(ctx, nil, w)
	return w.starts, w.end, err
}

// expectations is the watcher of that history.
type expectations struct {
	p      *prepared
	starts map[int64]time.Duration
	end    time.Duration
}

// Due implements assign.Watcher.
func (w *expectations) Due(int, time.Duration) bool { return true }

// Started implements assign.Watcher.
func (w *expectations) Started(item, _ int, at time.Duration) bool {
	w.starts[w.p.s.Items[w.p.s.Origin(item)].ID] = at
	return true
}

// Ended implements assign.Watcher.
func (w *expectations) Ended(_, _ int, at time.Duration, _ bool) bool {
	w.end = at
	return true
}

// Expired implements assign.Watcher.
func (w *expectations) Expired(int, time.Duration) bool { return true }

// Escalated implements assign.Watcher.
func (w *expectations) Escalated(int, int, time.Duration) bool { return true }

var _ assign.Watcher = (*expectations)(nil)

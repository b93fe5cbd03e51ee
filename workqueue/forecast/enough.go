package forecast

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue/assign"
)

const (
	// onTime is how likely an item must be in time, so that its deadline counts as met.
	onTime = 0.95

	// mostExtra bounds the workers that are added, and the slots that are added to each worker.
	mostExtra = 256

	// enoughHistories bounds the histories of each of the about 20 forecasts of a search.
	enoughHistories = 100
)

// Enough is how much capacity would meet the deadlines. JSON field names are part of the command
// line's contract.
type Enough struct {
	// Probability is how likely each deadline is met then.
	Probability float64 `json:"probability"`

	// Deadlines counts the present items with a deadline or a time to finish by, Missed those that would miss it now with a higher
	// probability than 1 - Probability, Impossible those of them that no capacity would help: it is too
	// late, or no live worker may run them.
	Deadlines  int `json:"deadlines"`
	Missed     int `json:"missed"`
	Impossible int `json:"impossible"`

	// Workers is how many more workers like Like would be enough, each with WorkerSlots slots; 0: the present
	// ones are. nil: not even the most that are tried, 256.
	Workers     *int   `json:"workers"`
	WorkerSlots int    `json:"workerSlots"`
	Like        string `json:"like"`

	// Slots is how many more slots on the present workers would be enough, the same number on each; nil: no number
	// that is tried.
	Slots *int `json:"slots"`
}

// Enough searches for the least capacity with which the deadlines are met. What else changes is as in
// p.Change.
func (r *Present) Enough(ctx context.Context, p Params) (*Enough, error) {
	if p.Histories == 0 || p.Histories > enoughHistories {
		p.Histories = enoughHistories
	}
	s := r.situation
	e := &Enough{Probability: onTime}
	for i := range s.Items {
		if it := &s.Items[i]; !it.Running && !it.Deadline.IsZero() || !it.FinishBy.IsZero() {
			e.Deadlines++
		}
	}
	missed, err := r.missed(ctx, p)
	if err != nil {
		return nil, err
	}
	e.Missed = len(missed)
	if len(s.Workers) == 0 || len(missed) == 0 {
		e.Impossible = len(missed)
		if len(missed) == 0 {
			e.Workers, e.Slots = new(int), new(int)
		}
		return e, nil
	}
	largest := slices.MaxFunc(s.Workers, func(a, b assign.SimWorker) int { return a.Capacity - b.Capacity })
	e.Like, e.WorkerSlots = largest.Name, max(largest.Capacity, 1)
	byWorkers := func(n int) Params {
		q := p
		q.Change.AddWorkers = slices.Clone(q.Change.AddWorkers)
		for range n {
			q.Change.AddWorkers = append(q.Change.AddWorkers, NewWorker{Capacity: e.WorkerSlots, like: &largest})
		}
		return q
	}
	bySlots := func(n int) Params {
		q := p
		q.Change.Capacities = map[string]int{}
		for i := range s.Workers {
			name := s.Workers[i].Name
			if slices.Contains(p.Change.WithoutWorkers, name) {
				continue
			}
			q.Change.Capacities[name] = s.Workers[i].Capacity + n
			if changed, ok := p.Change.Capacities[name]; ok {
				q.Change.Capacities[name] = changed + n
			}
		}
		return q
	}
	impossible, err := r.missed(ctx, byWorkers(mostExtra))
	if err != nil {
		return nil, err
	}
	e.Impossible = len(impossible)
	if e.Workers, err = r.least(ctx, byWorkers, impossible); err != nil {
		return nil, err
	}
	e.Slots, err = r.least(ctx, bySlots, impossible)
	if e.Slots != nil {
		*e.Slots *= len(bySlots(0).Change.Capacities)
	}
	return e, err
}

// missed returns the items that miss their deadlines too often.
func (r *Present) missed(ctx context.Context, p Params) (map[int64]bool, error) {
	if p.Until.IsZero() { // after the last deadline, nothing matters
		for i := range r.situation.Items {
			it := &r.situation.Items[i]
			if d := maxTime(it.Deadline, it.FinishBy); d.After(p.Until) {
				p.Until = d.Add(time.Second)
			}
		}
		p.Until = minTime(maxTime(p.Until, r.situation.At.Add(time.Second)), r.situation.At.Add(Longest))
	}
	variant, err := r.prepare(ctx, &p.Change, p.Until.Sub(r.situation.At), true)
	if err != nil {
		return nil, err
	}
	o, err := variant.run(ctx, p.Histories, p.Seed)
	if err != nil {
		return nil, err
	}
	missed := map[int64]bool{}
	for i, n := range o.expired {
		it := &o.s.Items[i]
		tooLate := !it.Running && !it.Deadline.IsZero() && it.Deadline.Before(o.s.At)
		if it.ID < firstTaskID && (tooLate || float64(n) > (1-onTime)*float64(o.n)) {
			missed[it.ID] = true
		}
	}
	return missed, nil
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// least returns the least number with which only impossible items miss their deadlines; nil if none
// is enough.
func (r *Present) least(ctx context.Context, with func(n int) Params, impossible map[int64]bool) (*int, error) {
	enough := func(n int) (bool, error) {
		missed, err := r.missed(ctx, with(n))
		for id := range missed {
			if !impossible[id] {
				return false, err
			}
		}
		return true, err
	}
	low, high := 0, 1 // low is not enough, or 0
	for {
		ok, err := enough(high)
		if err != nil {
			return nil, err
		}
		if ok {
			break
		}
		if low, high = high, 2*high; high > mostExtra {
			return nil, nil
		}
	}
	if low == 0 {
		if ok, err := enough(0); ok || err != nil {
			return new(int), err
		}
	}
	for high-low > 1 {
		middle := (low + high) / 2
		ok, err := enough(middle)
		if err != nil {
			return nil, err
		}
		if ok {
			high = middle
		} else {
			low = middle
		}
	}
	return &high, nil
}
